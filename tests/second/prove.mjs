// A second implementation of shared chance, in another language: it proves every draw of a whole game.
//
//     pbem convert game.toml game.json && pbem replay game.toml --json | node prove.mjs game.json
//
// It reads the lines of the log and the situation after each, and computes heads, values and draws by itself.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const sha = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const tagged = (tag, ...parts) => sha(Buffer.from(`${tag}\0`), ...parts);
const bytes = (hex) => Buffer.from(hex, "hex");
const number = (n) => { const data = Buffer.alloc(8); data.writeBigUInt64BE(BigInt(n)); return data; };
const fail = (why) => { console.error(why); process.exit(1); };

const game = JSON.parse(readFileSync(process.argv[2], "utf8"));
if (!["first-sparks-game/1", "first-sparks-game/2"].includes(game.format)) fail(`unknown format ${game.format}`);
const isBound = game.format === "first-sparks-game/2"; // the links of the chains, to game and colour
const place = (colour) => Buffer.from(`${game.game}\0${colour}\0`);

// The value before one in the chain of a clan.
const link = (colour, value) => (isBound
  ? tagged("first-sparks-link/2", place(colour), bytes(value))
  : tagged("first-sparks-link/1", bytes(value))).toString("hex");
const pair = (mover, opener) => tagged("first-sparks-pair/1", bytes(mover), bytes(opener));

// The index of draw k among n candidates: the first word below the largest multiple of n, modulo n.
function index(key, n, k) {
  const bound = (1n << 64n) - ((1n << 64n) % BigInt(n));
  for (let block = 0; ; block++) {
    const digest = tagged("first-sparks-draw/1", Buffer.from(`${game.game}\0`), key, number(k), number(block));
    for (let at = 0; at < 32; at += 8) {
      const word = digest.readBigUInt64BE(at);
      if (word < bound) return Number(word % BigInt(n));
    }
  }
}

// What may be drawn in a situation, in ascending order.
function candidates(state, players) {
  if (state.phase.name === "dealing-herbs") {
    const dealt = state.clans.flatMap((clan) => clan.cards);
    return [...Array(players).keys()].map((n) => n + 1).filter((n) => !dealt.includes(n));
  }
  if (state.phase.name === "drawing-tile") return state.tiles;
  if (state.phase.name === "laying") return null; // chance lays the tile: its places are a matter of rules
  const { top, unseen, never, shuffle, under } = state.pile;
  return top.length ? top.slice(0, 1) : unseen.length > never ? unseen : shuffle ? ["shuffle"] : under;
}

// The head before the first line: of the header as JSON, with sorted keys and without white space, in ASCII.
function firstHead() {
  const header = {
    chance: [game.chance.kind, game.chance.joined.map((row) => [row.colour, row.value])],
    components: game.components.digest,
    format: game.format,
    game: game.game,
    options: Object.fromEntries(Object.entries(game.options).sort()),
    players: game.players.map((row) => [row.colour, row.name]),
  };
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const json = JSON.stringify(header).replace(/[^\x20-\x7e]/g, escaped);
  return sha(Buffer.from(`first-sparks-log/1\n${json}`)).toString("hex");
}

const lines = readFileSync(0, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const shown = new Map(game.chance.joined.map((row) => [row.colour, row.value]));
const published = new Set(shown.values());
if (isBound && published.size < shown.size) fail("two players have published the same first value");
let [value, key, state, draws, head] = ["", null, null, 0, firstHead()];

// Before a draw, the situation only matters by what may be drawn; before the first line nothing has been dealt.
const beginning = { phase: { name: "dealing-herbs" }, clans: [], draws: 0 };

for (const { entry, state: after } of lines) {
  const [, by, word, ...rest] = entry.split(" ");
  const before = state ?? beginning;
  head = sha(Buffer.from(`${head}\n${entry}`)).toString("hex");
  if (word === "renews") {
    if (isBound && [...published, ...shown.values()].includes(rest[0])) fail(`${entry}: published before`);
    shown.set(by, rest[0]);
    published.add(rest[0]);
  } else if (word === "skips") {
    if (/^(dealing|drawing)/.test(before.phase.name) && !key) fail(`${entry}: a draw is due`);
    let [linked, steps] = [rest[0], 0];
    for (; linked !== shown.get(by) && steps < 512; steps++) linked = link(by, linked);
    if (!steps || linked !== shown.get(by)) fail(`${entry}: not one of the next values of ${by}`);
    shown.set(by, rest[0]);
  } else if (word === "opens") {
    if (link(by, rest[0]) !== shown.get(by)) fail(`${entry}: not the next value of ${by}`);
    shown.set(by, rest[0]);
    if (!value) value = rest[0];
    else if (key) fail(`${entry}: nothing to open`);
    else key = pair(value, rest[0]);
  } else if (by === "*" && (word === "draw" || word === "lay")) {
    if (!key) fail(`${entry}: drawn before two have opened`);
    const among = candidates(before, game.players.length);
    if (among && String(among[index(key, among.length, before.draws)]) !== rest.join(" "))
      fail(`${entry}: not what the values yield`);
    draws += 1;
  } else if (by !== "*") {
    const isDue = /^(dealing|drawing)/.test(before.phase.name); // somebody resigned while a draw was due
    if (!isDue) [value, key] = ["", null];
  }
  state = after;
}
if (game.log.length !== lines.length || game.log.some((line, n) => line !== lines[n].entry)) fail("another log");
if (head !== game.head) fail("the head does not match header and log");
console.log(`${draws} draws proved`);
