#!/bin/sh
# Play a whole game with the command line alone: sh play.sh GAME.toml NAME NAME...
# At an even turn every clan takes the last listed choice, at an odd turn the first.
set -eu
if [ $# -lt 3 ]; then
  echo "usage: sh play.sh GAME.toml NAME NAME..." >&2
  exit 2
fi
game=$1
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# Run pbem and keep its answer; if it fails, print why and exit with its exit code.
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
