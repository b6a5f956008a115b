// The page's own behaviour: numbers show their proof, cards and dots open entries, answers are copied.
// Everything is delegated from the document, because Gradio replaces what it renders.
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const api = { server: null };
  window.accelrag = api;

  // ---- the proof beside the answer -------------------------------------------------------------------------
  let opener = null;
  const panel = () => $("#proof .proof-body");
  const narrow = () => window.matchMedia("(max-width: 860px)").matches;

  function show(html_source, from, byKeyboard) {
    const target = panel();
    if (!target) return;
    target.replaceChildren(...[...html_source.childNodes].map((node) => node.cloneNode(true)));
    const box = $("#proof .proof");
    box.classList.add("filled");
    box.scrollTop = 0;
    if (from) {
      opener = from;
      openSheet(box);
      const mark = $("mark", target);
      for (const pane of mark ? [mark.closest(".passage"), box] : []) reveal(mark, pane);
      if (byKeyboard || narrow()) $(".proof-title").focus({ preventScroll: true });
    }
  }

  // Scrolls a pane alone: scrollIntoView would move the window, and the pressed number with it.
  function reveal(node, pane) {
    const seen = node.getBoundingClientRect(), frame = pane.getBoundingClientRect();
    if (seen.top < frame.top || seen.bottom > frame.bottom) pane.scrollTop += seen.top - frame.top - 12;
  }

  // On a phone the proof is a sheet over the page: what is behind it is out of reach, and Back closes it.
  const behind = () => $$("#head, #tabs > .tab-wrapper, #ask-row > :not(#proof-column)");
  function openSheet(box) {
    if (box.classList.contains("open")) return;
    box.classList.add("open");
    if (!narrow()) return;
    for (const part of behind()) part.inert = true;
    history.pushState({ ...history.state, sheet: true }, "");
  }

  function close(byBack) {
    const box = $("#proof .proof");
    if (!box || !box.classList.contains("open")) return false;
    box.classList.remove("open");
    for (const part of behind()) part.inert = false;
    if (!byBack && history.state?.sheet) history.back();
    if (opener && opener.isConnected) opener.focus({ preventScroll: true });
    opener = null;
    return true;
  }

  function press(button, event) {
    const proof = document.getElementById(button.dataset.ev);
    if (!proof) return;
    mark(button.dataset.ev);
    show(proof, button, event && event.detail === 0);
  }

  let pressed = "";
  function mark(id) {
    pressed = id;
    for (const other of $$(".cite")) other.setAttribute("aria-pressed", String(other.dataset.ev === id));
  }

  // ---- asking ----------------------------------------------------------------------------------------------
  function fill(selector, value) {
    const box = $(`${selector} textarea, ${selector} input`);
    if (!box) return false;
    const proto = box.tagName === "TEXTAREA" ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
    Object.getOwnPropertyDescriptor(proto, "value").set.call(box, value);
    box.dispatchEvent(new Event("input", { bubbles: true }));
    return true;
  }

  function tab(name) {
    const button = $$('#tabs button[role="tab"]').find((b) => b.textContent.trim() === name);
    if (button) button.click();
  }

  function scope(entry, title) {
    fill("#scope", entry ? JSON.stringify({ entry, title }) : "");
    const chip = $("#scope-chip");
    if (!chip) return;
    chip.hidden = !entry;
    $("span", chip).textContent = title || "";
  }

  function ask(question) {
    fill("#question", question);
    setTimeout(() => $("#ask")?.click(), 60);
  }

  // ---- what a reload keeps: the turns of this tab, in the tab's own storage, and an address for each question ---
  const KEPT = "accelrag turns", MOST = 12;
  const kept = () => {
    try {
      return JSON.parse(sessionStorage.getItem(KEPT)) || [];
    } catch {
      return [];
    }
  };

  function keep() {
    const turns = $$("#current article.turn[data-link], #past article.turn[data-link], #kept article.turn[data-link]");
    const seen = turns.slice(0, MOST).map((turn) => ({ link: turn.dataset.link, html: turn.outerHTML }));
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(seen));
    } catch {
      sessionStorage.removeItem(KEPT); // full or closed to this page: nothing is kept rather than a part
    }
  }

  function restore() {
    const turns = kept();
    if (turns.length && turns[0].link === location.search) turns.shift(); // the address asks it again
    const box = $("#kept-turns");
    if (!box || !turns.length) return;
    box.innerHTML = turns.map((turn) => turn.html).join(""); // as the server escaped it
    const head = document.createElement("h2");
    head.className = "cards-head";
    head.textContent = "Before the page was loaded again";
    box.prepend(head);
    document.body.classList.add("talking");
  }

  function walkTo() {
    const turn = $$("article.turn[data-link]").find((one) => one.dataset.link === location.search);
    if (!turn) return location.search ? location.reload() : scrollTo({ top: 0 });
    tab("Ask");
    turn.scrollIntoView({ block: "start" });
  }

  api.fromAddress = () => {
    restore();
    const wanted = new URLSearchParams(location.search);
    return JSON.stringify({
      earlier: $$("#kept-turns article.turn").reverse().map((turn) => JSON.parse(turn.dataset.memory)),
      q: wanted.get("q") || "",
      sections: wanted.getAll("section"),
      kinds: wanted.getAll("kind"),
      entry: wanted.get("entry") || "",
    });
  };

  // ---- copying ---------------------------------------------------------------------------------------------
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const box = document.createElement("textarea"); // pages without TLS have no clipboard
      box.value = text;
      box.style.position = "fixed";
      box.style.opacity = "0";
      document.body.append(box);
      box.select();
      const done = document.execCommand("copy");
      box.remove();
      return done;
    }
  }

  function toast(text) {
    let box = $("#toast");
    if (!box) {
      box = document.createElement("div");
      box.id = "toast";
      box.setAttribute("role", "status");
      document.body.append(box);
    }
    box.textContent = text;
    box.classList.add("on");
    clearTimeout(box.timer);
    box.timer = setTimeout(() => box.classList.remove("on"), 1800);
  }

  // ---- entries ---------------------------------------------------------------------------------------------
  async function openEntry(id, byKeyboard) {
    tab("Explore");
    for (let i = 0; i < 100 && !(api.server && $("#entry")); i++) await new Promise((done) => setTimeout(done, 50));
    const box = $("#entry");
    if (!box) return;
    box.setAttribute("aria-busy", "true");
    box.innerHTML = await api.server.explore_entry(id); // escaped by the server
    box.removeAttribute("aria-busy");
    box.scrollTop = 0;
    choose(id);
    const head = $("h2", box);
    if (head) {
      head.tabIndex = -1;
      head.focus({ preventScroll: true });
      const seen = head.getBoundingClientRect();
      if (seen.top < 0 || seen.bottom > innerHeight * 0.8) box.scrollIntoView({ block: "start", behavior: "smooth" });
    }
  }

  function choose(id) {
    for (const dot of $$("#map .dot")) dot.classList.toggle("chosen", dot.dataset.entry === id);
  }

  let asked = 0;
  async function filter() {
    const form = $("#filters");
    if (!form || !api.server) return;
    const wanted = Object.fromEntries(new FormData(form));
    const mine = ++asked;
    const html = await api.server.explore_rows(JSON.stringify(wanted));
    if (mine !== asked) return;
    $("#rows").innerHTML = html; // escaped by the server
    dim(wanted);
  }

  function dim(wanted) {
    const words = (wanted.text || "").toLowerCase().split(/\s+/).filter(Boolean);
    for (const dot of $$("#map .dot")) {
      const d = dot.dataset;
      const own = `${d.title} ${d.note} ${d.path}`.toLowerCase();
      const inside = !wanted.section || d.section === wanted.section || d.path.split(" › ").includes(wanted.section);
      const fits = inside && (!wanted.kind || d.kind === wanted.kind) &&
        (!wanted.coverage || d.coverage === wanted.coverage) && words.every((w) => own.includes(w));
      dot.classList.toggle("dim", !fits);
    }
    for (const key of $$(".legend .key")) key.setAttribute("aria-pressed", String(key.dataset.section === wanted.section));
  }

  async function more(button) {
    const wanted = { ...Object.fromEntries(new FormData($("#filters"))), start: Number(button.dataset.start) };
    const html = await api.server.explore_rows(JSON.stringify(wanted));
    const part = document.createElement("div");
    part.innerHTML = html; // escaped by the server
    const rows = $("#rows tbody");
    const first = part.querySelector("tbody tr button");
    rows.append(...part.querySelectorAll("tbody tr"));
    button.closest(".more-box").replaceWith(part.querySelector(".more-box"));
    first?.focus();
  }

  // ---- the map ---------------------------------------------------------------------------------------------
  let at = null;
  function point(dot) {
    for (const other of $$("#map .dot.at")) other.classList.remove("at");
    at = dot;
    const tip = $("#map-tip");
    if (!tip) return;
    if (!dot) {
      tip.hidden = true;
      return;
    }
    dot.classList.add("at");
    const d = dot.dataset;
    const title = document.createElement("strong");
    title.textContent = d.title;
    const path = document.createElement("span");
    path.textContent = d.path;
    const note = document.createElement("p");
    note.textContent = d.note;
    tip.replaceChildren(title, path, note);
    tip.hidden = false;
    const box = $(".map-box").getBoundingClientRect();
    const place = dot.getBoundingClientRect();
    const x = Math.min(Math.max(8, place.left - box.left + 14), Math.max(8, box.width - tip.offsetWidth - 8));
    const below = place.bottom - box.top + 8;
    const fits = below + tip.offsetHeight < box.height;
    tip.style.left = `${x}px`;
    tip.style.top = `${fits ? below : Math.max(8, place.top - box.top - tip.offsetHeight - 8)}px`;
  }

  function walk(key) {
    const dots = $$("#map .dot:not(.dim)");
    if (!dots.length) return;
    if (!at || !at.isConnected) return point(dots[0]);
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    const x = +at.getAttribute("cx"), y = +at.getAttribute("cy");
    let best = null, least = Infinity;
    for (const dot of dots) {
      const ax = dot.getAttribute("cx") - x, ay = dot.getAttribute("cy") - y;
      const along = ax * dx + ay * dy, off = Math.abs(ax * dy) + Math.abs(ay * dx);
      if (along <= 0.01) continue;
      const cost = along + 2 * off;
      if (cost < least) [best, least] = [dot, cost];
    }
    if (best) point(best);
  }

  function drawAsked() {
    const turns = $$("article.turn[data-place]");
    const map = $("#map");
    if (!map || !turns.length) return;
    const turn = turns[turns.length - 1];
    const place = JSON.parse(turn.dataset.place);
    const dots = $("#dots");
    if (map.dataset.asked === turn.dataset.turn && $("#asked-mark").childElementCount) return;
    map.dataset.asked = turn.dataset.turn;
    const svg = (name, attributes) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
      return node;
    };
    const [w, h, m] = [960, 620, 26];
    const x = m + ((place.x + 1) / 2) * (w - 2 * m), y = m + (1 - (place.y + 1) / 2) * (h - 2 * m);
    const lines = [];
    place.entries.forEach((id, rank) => {
      const dot = $$(".dot", dots).find((d) => d.dataset.entry === id);
      if (!dot) return;
      lines.push(svg("line", { x1: x, y1: y, x2: dot.getAttribute("cx"), y2: dot.getAttribute("cy"),
        class: rank < place.cited ? "ray cited" : "ray" }));
    });
    $("#asked").replaceChildren(...lines);
    const ring = svg("circle", { cx: x, cy: y, r: 9, class: "ring" });
    const words = svg("text", { x: x > w / 2 ? x - 14 : x + 14, "text-anchor": x > w / 2 ? "end" : "start", y: y < 40 ? y + 26 : y - 14, class: "ring-label" });
    const question = $(".question", turn).textContent;
    const most = narrow() ? 24 : 48;
    words.textContent = question.length > most ? `${question.slice(0, most - 1)}…` : question;
    $("#asked-mark").replaceChildren(ring, words);
  }

  // ---- one listener a kind of event ------------------------------------------------------------------------
  document.addEventListener("click", async (event) => {
    const on = (selector) => event.target.closest?.(selector);
    let found;
    if (narrow() && !on("#proof .proof") && close()) return; // a tap beside the sheet
    if ((found = on(".cite"))) press(found, event);
    else if ((found = on("[data-copy]"))) {
      const value = "link" in found.dataset ? new URL(found.dataset.copy, location.href.split(/[?#]/)[0]).href : found.dataset.copy;
      toast((await copy(value)) ? "Copied" : "The browser does not let this page copy");
    } else if ((found = on(".proof-close"))) close();
    else if ((found = on("[data-press]"))) document.getElementById(found.dataset.press)?.click();
    else if (on("#clear")) {
      scope("", "");
      $("#kept-turns")?.replaceChildren();
      sessionStorage.removeItem(KEPT);
      if (location.search) history.pushState({}, "", location.pathname);
    } else if ((found = on("[data-example]"))) ask(found.dataset.example);
    else if ((found = on("[data-ask]"))) {
      tab("Ask");
      scope(found.dataset.ask, found.dataset.askTitle);
      setTimeout(() => $("#question textarea, #question input")?.focus(), 80); // the tab is drawn first
    } else if ((found = on("#scope-chip button"))) {
      scope("", "");
      $("#question textarea, #question input")?.focus();
    } else if ((found = on("[data-entry]"))) {
      close();
      openEntry(found.dataset.entry, event.detail === 0);
    } else if (on('#tabs button[data-tab-id="explore"]')) api.explore?.();
    else if ((found = on(".more"))) more(found);
    else if ((found = on(".key"))) {
      const select = $('#filters select[name="section"]');
      select.value = select.value === found.dataset.section ? "" : found.dataset.section;
      filter();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && close()) event.preventDefault();
    if (event.target.id !== "map") return;
    if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      walk(event.key);
    } else if ((event.key === "Enter" || event.key === " ") && at) {
      event.preventDefault();
      openEntry(at.dataset.entry, true);
    } else if (event.key === "Escape") point(null);
  });
  window.addEventListener("popstate", (event) => {
    if (event.state?.sheet || close(true)) return;
    walkTo();
  });
  document.addEventListener("mouseover", (event) => {
    if (event.target.classList?.contains("dot")) point(event.target);
    else if (at && event.target.closest?.(".map-box") && !event.target.closest("#map-tip")) point(null);
  });
  document.addEventListener("submit", (event) => {
    if (event.target.id === "filters") {
      event.preventDefault();
      filter();
    }
  });
  let typing;
  document.addEventListener("input", (event) => {
    if (!event.target.closest?.("#filters")) return;
    clearTimeout(typing);
    typing = setTimeout(filter, event.target.type === "search" ? 180 : 0);
  });

  // ---- what follows when Gradio has drawn something new ----------------------------------------------------
  let lastTurn = "";
  let lastState = "";
  function drawn() {
    const turn = $("#current article.turn");
    const name = turn ? turn.dataset.turn : "";
    const state = turn ? turn.dataset.state : "";
    if (name !== lastTurn) {
      lastTurn = name;
      lastState = "";
      mark("");
      const target = panel();
      if (target) target.replaceChildren();
      $("#proof .proof")?.classList.remove("filled", "open");
      if (turn) turn.scrollIntoView({ block: "nearest", behavior: "smooth" });
      document.body.classList.toggle("talking", Boolean(turn) || Boolean($("#past article.turn, #kept article.turn")));
    }
    if (!turn) document.body.classList.remove("asking");
    if (turn && state !== lastState) {
      lastState = state;
      document.body.classList.toggle("asking", state === "asking");
      if (state === "answered") drawAsked();
      if (turn.dataset.link) {
        keep();
        if (turn.dataset.link !== location.search) history.pushState({}, "", turn.dataset.link);
      }
    }
    if (pressed) {
      for (const b of $$(".cite")) {
        const on = String(b.dataset.ev === pressed);
        if (b.getAttribute("aria-pressed") !== on) b.setAttribute("aria-pressed", on);
      }
    } else if (turn && !narrow()) {
      const first = $(".cite", turn);
      const proof = first && document.getElementById(first.dataset.ev);
      if (proof) {
        mark(first.dataset.ev);
        show(proof, null, false);
      }
    }
    const map = $("#map");
    if (map && !map.dataset.asked) drawAsked();
  }
  let queued = false;
  new MutationObserver(() => {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      drawn();
    });
  }).observe(document.documentElement, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-state", "data-turn"] });
})();
