"use strict";
// Shows one step of a game: every part of the page that names a fact gets the fact of that step.
(() => {
  const one = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const SVG = "http://www.w3.org/2000/svg";
  const PAUSE = 1300; // milliseconds between two steps that are played
  const HALO = 5; // how much wider than a new member the ring around it is

  const game = JSON.parse(one("game").textContent);
  const steps = [];
  for (const changed of game.steps) steps.push({ ...steps.at(-1), ...changed });
  const last = steps.length - 1;
  const cards = new Map([...one("deck").content.children].map((card) => [Number(card.dataset.card), card]));
  const entries = all("#log a").map((link) => ({ link, step: Number(link.hash.slice(1)) }));
  const rows = all("#clans tr[data-clan]");
  const slider = one("slider");
  const play = one("play");
  let now = last;
  let timer = null;

  // Without a script #60 is the log's entry; with one it is the step, and the page stays where it is.
  for (const entry of all("#log li[id]")) entry.removeAttribute("id");

  function shape(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function standing(facts) {
    const found = new Map();
    for (const clan of game.clans)
      for (const space of facts["members:" + clan] ?? []) found.set(space, [...(found.get(space) ?? []), clan]);
    return found;
  }

  function showBoard(facts, before) {
    const members = one("members");
    if (!members) return;
    for (const part of all("#board [data-tile]")) part.toggleAttribute("hidden", Number(part.dataset.tile) >= facts.tiles);
    const drawn = [];
    const halos = [];
    const former = before && standing(before);
    for (const [space, clans] of standing(facts)) {
      const [x, y, corner] = game.spaces[space];
      const many = Math.min(clans.length, game.radius.length);
      clans.slice(0, many).forEach((clan, place) => {
        const [ahead, down] = game.spots[corner][many - 1][place];
        const radius = game.radius[many - 1];
        const isNew = former && !former.get(space)?.includes(clan);
        if (isNew) halos.push(shape("circle", { class: "new", cx: x + ahead, cy: y + down, r: radius + HALO }));
        drawn.push(shape("use", { href: `#${clan}-${radius}`, x: x + ahead, y: y + down }));
      });
    }
    members.replaceChildren(...halos, ...drawn);
  }

  function showFacts(facts) {
    for (const part of all("[data-fact]")) {
      const { fact, at, unknown } = part.dataset;
      const value = at === undefined ? facts[fact] : facts[fact][at];
      part.textContent = Array.isArray(value) ? value.join(" ") : value ?? unknown;
    }
    for (const part of all("[data-count]")) part.textContent = facts[part.dataset.count].length;
    for (const part of all("[data-shown]")) part.hidden = !facts[part.dataset.shown];
    for (const list of all("[data-cards]")) {
      const key = list.dataset.cards;
      const inMarket = key === "current" || key === "future";
      list.replaceChildren(...facts[key].map((number) => {
        const card = cards.get(number).cloneNode(true);
        card.classList.toggle("crop", inMarket && number === facts.crop);
        return card;
      }));
    }
  }

  function showClans(order) {
    const placed = order.map((colour) => rows.find((row) => row.dataset.clan === colour));
    placed.forEach((row, place) => { row.cells[0].textContent = place + 1; });
    placed[0].parentNode.prepend(...placed);
  }

  function showTold(step) {
    const told = [];
    for (const entry of entries) {
      if (entry.step === step) {
        const line = document.createElement("p");
        line.textContent = entry.link.lastElementChild.textContent;
        told.push(line);
        entry.link.setAttribute("aria-current", "step");
      } else entry.link.removeAttribute("aria-current");
    }
    one("told").replaceChildren(...told);
  }

  function show(step) {
    now = Math.max(0, Math.min(last, step));
    const facts = steps[now];
    const [left, right] = game.chart;
    const x = left + ((right - left) * now) / Math.max(1, last);
    one("turn").textContent = now;
    slider.value = now;
    for (const key of ["first", "back"]) one(key).disabled = now === 0;
    for (const key of ["next", "last"]) one(key).disabled = now === last;
    for (const line of all(".chart .now")) line.setAttribute("transform", `translate(${x} 0)`);
    showBoard(facts, steps[now - 1]);
    showFacts(facts);
    showClans(facts.order);
    showTold(now);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.classList.remove("playing");
    play.setAttribute("aria-label", play.title);
  }

  function go(step) {
    stop();
    show(step);
    keep();
  }

  // The address is that of the step. A browser may refuse when it changes too often; then it is a step behind.
  function keep() {
    try {
      history.replaceState(null, "", "#" + now);
    } catch {}
  }

  function start() {
    if (now === last) show(0);
    play.classList.add("playing");
    play.setAttribute("aria-label", play.dataset.pause);
    timer = setInterval(() => {
      show(now + 1);
      if (now === last) {
        stop();
        keep();
      }
    }, PAUSE);
  }

  function toTheBoard() {
    const view = one("view");
    if (view.getBoundingClientRect().top < 0) view.scrollIntoView();
  }

  function fromAddress() {
    const said = /^#(\d{1,6})$/.exec(location.hash);
    return said && Number(said[1]) <= last ? Number(said[1]) : null;
  }

  const moves = {
    first: () => go(0),
    back: () => go(now - 1),
    next: () => go(now + 1),
    last: () => go(last),
    play: () => (timer === null ? start() : go(now)),
  };
  for (const [key, move] of Object.entries(moves)) one(key).addEventListener("click", move);
  slider.addEventListener("input", () => go(Number(slider.value)));

  const keys = { ArrowLeft: moves.back, ArrowRight: moves.next, Home: moves.first, End: moves.last };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  for (const chart of all(".chart"))
    chart.addEventListener("click", (event) => {
      const box = chart.getBoundingClientRect();
      const [left, right] = game.chart;
      const x = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
      go(Math.round(((x - left) / (right - left)) * last));
    });

  addEventListener("hashchange", () => {
    const step = location.hash === "" ? last : fromAddress();
    if (step === null) return;
    stop();
    show(step);
    toTheBoard();
  });

  document.documentElement.classList.add("scripted");
  one("controls").hidden = false;
  play.disabled = last === 0;
  const asked = fromAddress();
  show(asked ?? last);
  if (asked !== null) scrollTo(0, 0);
})();
