#!/bin/sh
# Play a whole game through the command line alone: sh play.sh GAME.toml NAME NAME...
# Every clan takes the last of the legal choices that are listed at an even turn, the first at an odd one.
set -eu
game=$1

pbem new "$@" --json >answer.json
while decides=$(jq -er .decides answer.json); do
  order=$(jq -r 'if .turn % 2 == 0 then .options[-1].order else .options[0].order end' answer.json)
  pbem play "$game" --as "$decides" --order "$order" --json >answer.json || { jq -r .message answer.json >&2; exit 1; }
done

pbem verify "$game"
pbem show "$game" | head -2
