#!/bin/sh
# Play a whole game through the command line alone: sh play.sh GAME.toml NAME NAME...
# Every clan takes the last of the legal choices that are listed at an even turn, the first at an odd one.
set -eu
if [ $# -lt 3 ]; then
  echo "usage: sh play.sh GAME.toml NAME NAME..." >&2
  exit 2
fi
game=$1
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# Ask pbem; keep its answer, or say why there is none and leave with its exit code.
ask() {
  pbem "$@" --json >"$answer" || { code=$?; jq -r '.message, .hint' "$answer" >&2; exit $code; }
}

ask new "$@"
while decides=$(jq -er .decides "$answer"); do
  order=$(jq -r 'if .turn % 2 == 0 then .options[-1].order else .options[0].order end' "$answer")
  ask play "$game" --as "$decides" --order "$order"
done

pbem verify "$game"
pbem show "$game" | head -2
