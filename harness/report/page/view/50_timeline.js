// The timeline: a canvas of lanes, drawn anew for each view of it, and only as far as it is seen.

const kGutter = 176, kHost = 20, kStream = 26, kHead = 26, kAxis = 58;

function cssColor(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

let timelines = 0;

class Timeline {
  // secret: what the verdict says is not shown yet.
  constructor(timeline, {culprits = [], secret = false, hangs = false} = {}) {
    this.model = new Model(timeline);
    this.secret = secret;
    this.hangs = hangs;
    this.culprits = new Set(secret ? [] : culprits);
    this.unfolded = new Set();
    if (this.model.ranks.length <= 6) for (const group of this.model.groups.keys()) this.unfolded.add(group);
    this.view = [0, this.model.length];
    this.picked = null;
    this.query = "";
    this.hatches = new Map();
    this.keys = `timeline-keys-${++timelines}`;
    this.build();
    this.layOut();
  }

  build() {
    this.axis = element("canvas", {"aria-hidden": "true"});
    this.canvas = element("canvas", {tabindex: 0, role: "application", "aria-roledescription": "timeline",
      "aria-label": this.label(), "aria-describedby": this.keys});
    this.gutter = element("div", {class: "gutter"});
    this.space = element("div", {style: "width:1px"});
    this.lanesBox = element("div", {class: "lanes"}, this.canvas, this.gutter, this.space);
    this.canvas.style.marginBottom = "-100000px";
    this.found = element("span", {class: "found soft small", role: "status"});
    const search = element("input", {type: "search", placeholder: "Find an operation", "aria-label": "Find an operation",
      oninput: () => this.search(search.value), onkeydown: (event) => { if (event.key === "Enter") this.next(); }});
    const button = (text, label, act) => element("button", {type: "button", "aria-label": label, title: label, onclick: act}, text);
    this.tools = element("div", {class: "tools no-print"}, search, this.found, element("span", {class: "fill"}),
      button("−", "Zoom out", () => this.zoom(1.6)), button("+", "Zoom in", () => this.zoom(1 / 1.6)),
      button("End", "Look at the end", () => this.look(this.model.length * 0.55, this.model.length)),
      button("All", "See all of it", () => this.look(0, this.model.length)),
      this.model.ranks.length > this.model.groups.size && (this.foldButton = button("", "", () => this.foldAll())));
    this.pickedBox = element("div", {class: "picked", "aria-live": "polite"});
    this.tip = element("div", {class: "tip", hidden: true});
    this.element = element("div", {class: "timeline"}, this.tools, this.axis, this.lanesBox, this.pickedBox, this.legend(), this.tip,
      element("p", {id: this.keys, hidden: true}, "Left and right arrows move, plus and minus zoom, 0 shows all, " +
        "n and p go from operation to operation, up and down from lane to lane, Enter draws the arrows of a collective."));
    this.listen();
  }

  label() {
    const ranks = this.model.ranks.length, operations = this.model.ranks.reduce((sum, rank) => sum + rank.length, 0);
    return `Timeline of ${ranks} ranks with ${operations} operations. What it shows is told in words below.`;
  }

  legend() {
    const entry = (style, text) => element("span", {}, element("i", {style}), text);
    const names = this.model.timeline.communicators.slice(0, 8).map((one, index) =>
      entry(`background:var(--c${index % 8})`, one.name || "a communicator"));
    return element("div", {class: "legend"}, ...names,
      entry("background:repeating-linear-gradient(135deg,var(--soft) 0 2px,transparent 2px 5px);border-color:var(--soft)", "waits for others"),
      entry("background:var(--soft);opacity:.3", "all have come: runs, at most until the next call"),
      entry("background:var(--ink);opacity:.55;height:.35em;vertical-align:2px", "the host is blocked in a call"));
  }

  listen() {
    let grabbed = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      grabbed = {x: event.clientX, y: event.clientY, view: [...this.view], top: this.lanesBox.scrollTop, moved: false};
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!grabbed) return this.hover(event);
      const by = event.clientX - grabbed.x;
      if (!grabbed.moved && Math.hypot(by, event.clientY - grabbed.y) < 4) return;
      grabbed.moved = true;
      this.tip.hidden = true;
      this.canvas.classList.add("grabbed");
      const step = (grabbed.view[1] - grabbed.view[0]) / this.width * by;
      this.lanesBox.scrollTop = grabbed.top - (event.clientY - grabbed.y);
      this.look(grabbed.view[0] - step, grabbed.view[1] - step);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      this.canvas.classList.remove("grabbed");
      if (grabbed && !grabbed.moved) this.pick(this.at(event));
      grabbed = null;
    });
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.lanesBox.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && !event.altKey && event.deltaX === 0 && this.lanesBox.scrollHeight > this.lanesBox.clientHeight + 1) return;
      if (!event.ctrlKey && !this.element.contains(document.activeElement) && !event.shiftKey && event.deltaX === 0) return;
      event.preventDefault();
      if (event.shiftKey || event.deltaX !== 0) return this.pan((event.deltaX || event.deltaY) / this.width);
      this.zoom(Math.exp(event.deltaY * 0.0015), this.placeOf(event.clientX - this.canvas.getBoundingClientRect().left));
    }, {passive: false});
    this.lanesBox.addEventListener("scroll", () => this.draw());
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(this.lanesBox);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.hatches.clear(); this.draw(); });
  }

  key(event) {
    const acts = {ArrowLeft: () => this.pan(-0.15), ArrowRight: () => this.pan(0.15), "+": () => this.zoom(1 / 1.4), "=": () => this.zoom(1 / 1.4),
      "-": () => this.zoom(1.4), 0: () => this.look(0, this.model.length), n: () => this.step(1), p: () => this.step(-1),
      ArrowDown: () => this.changeLane(1), ArrowUp: () => this.changeLane(-1), Enter: () => this.pick(this.picked)};
    if (!acts[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    acts[event.key]();
  }

  foldAll() {
    if (this.unfolded.size) this.unfolded.clear();
    else for (const group of this.model.groups.keys()) this.unfolded.add(group);
    this.layOut();
    this.resize();
  }

  // Where each shown rank and each of its lanes stands.
  layOut() {
    this.rows = [];
    let y = 0;
    const rows = [];
    for (const [group, ranks] of this.model.groups) {
      const folded = !this.unfolded.has(group) && ranks.length > 1;
      for (const rank of folded ? [ranks[0]] : ranks) rows.push({group, ranks: folded ? ranks : [rank], rank, of: ranks.length});
    }
    rows.sort((a, b) => a.rank.rank - b.rank.rank);
    for (const row of rows) {
      row.y = y;
      row.lanes = null;
      // Of a rank that is not in sight its lanes are not worked out, only counted.
      const cached = this.model.laneCache.get(row.rank.rank);
      row.count = cached ? cached.map((lane) => lane.kind) : this.kindsOf(row.rank);
      row.height = kHead * 0.3 + row.count.reduce((sum, kind) => sum + (kind === "host" ? kHost : kStream), 0) + 6;
      row.height = Math.max(row.height, 46);
      y += row.height;
      this.rows.push(row);
    }
    this.height = y;
    if (this.foldButton) {
      this.foldButton.textContent = this.unfolded.size ? "Fold" : "Unfold";
      this.foldButton.title = this.unfolded.size ? "Fold ranks in equal state" : "Show every rank";
      this.foldButton.setAttribute("aria-label", this.foldButton.title);
    }
    this.fillGutter();
  }

  // All ranks of a group have lanes of the same kinds.
  kindsOf(rank) {
    this.kinds = this.kinds || new Map();
    const key = rank.group + ":" + rank.operations.stream + ":" + rank.operations.thread;
    if (!this.kinds.has(key)) this.kinds.set(key, this.model.lanesOf(rank).map((lane) => lane.kind));
    return this.kinds.get(key);
  }

  fillGutter() {
    this.gutter.replaceChildren(...this.rows.map((row) => {
      const culprit = row.ranks.some((rank) => this.culprits.has(rank.rank));
      const name = rangeText(row.ranks.map((rank) => rank.rank));
      const title = row.of > 1 && (row.ranks.length > 1 || this.model.ranks.length > 6)
        ? element("button", {"aria-expanded": row.ranks.length === 1 ? "true" : "false",
            title: row.ranks.length > 1 ? "Unfold these ranks" : "Fold ranks in equal state",
            onclick: () => { if (!this.unfolded.delete(row.group)) this.unfolded.add(row.group); this.layOut(); this.resize(); }}, name)
        : element("b", {}, name);
      const box = element("div", {class: culprit ? "culprit" : null, style: `top:${row.y}px;height:${row.height}px`}, title,
        culprit && element("div", {}, element("em", {}, "to blame")),
        row.ranks.length > 1 && !culprit && element("div", {class: "soft small"}, `${row.ranks.length} in equal state`));
      return box;
    }));
  }

  resize() {
    const width = this.lanesBox.clientWidth;
    if (!width) return;
    const height = Math.min(this.height, Math.max(this.lanesBox.clientHeight, Math.min(this.height, 736)));
    const scale = devicePixelRatio || 1;
    for (const [canvas, tall] of [[this.axis, kAxis], [this.canvas, height]]) {
      canvas.width = width * scale;
      canvas.height = tall * scale;
      canvas.style.width = width + "px";
      canvas.style.height = tall + "px";
      canvas.getContext("2d").setTransform(scale, 0, 0, scale, 0, 0);
    }
    this.canvas.style.marginBottom = -height + "px";
    this.space.style.height = this.height + "px";
    this.total = width;
    this.width = width - kGutter - 8;
    this.seen = height;
    this.draw();
  }

  look(from, to) {
    const least = Math.min(this.model.length, 4 * 100 / this.model.timeline.tick_ns);
    const span = Math.min(Math.max(to - from, least / 4), this.model.length);
    const begin = Math.min(Math.max(to - from < span ? (from + to - span) / 2 : from, 0), this.model.length - span);
    this.view = [begin, begin + span];
    this.draw();
  }
  pan(share) { const by = (this.view[1] - this.view[0]) * share; this.look(this.view[0] + by, this.view[1] + by); }
  zoom(by, at = (this.view[0] + this.view[1]) / 2) { this.look(at - (at - this.view[0]) * by, at + (this.view[1] - at) * by); }
  x(time) { return kGutter + (this.model.place(time) - this.view[0]) / (this.view[1] - this.view[0]) * this.width; }
  placeOf(x) { return this.view[0] + (x - kGutter) / this.width * (this.view[1] - this.view[0]); }

  search(query) {
    this.query = query.trim().toLowerCase();
    const {words, communicators} = {words: this.model.words, communicators: this.model.timeline.communicators};
    const hits = (text) => text.toLowerCase().includes(this.query);
    this.hitWord = words.map(hits);
    this.hitCommunicator = communicators.map((one) => hits(one.name));
    this.hits = [];
    if (this.query) {
      for (const row of this.rows) {
        for (let i = 0; i < row.rank.length && this.hits.length < 10000; ++i) if (this.matches(row.rank, i)) this.hits.push({row, i});
      }
    }
    this.hitAt = -1;
    this.found.textContent = this.query ? `${this.hits.length} found${this.hits.length ? ", Enter goes on" : ""}` : "";
    this.draw();
  }
  matches(rank, i) {
    const {call, label, communicator, slot} = rank.columns;
    return this.hitWord[call[i]] || this.hitWord[label[i]] || this.hitCommunicator[communicator[i]] ||
      this.query === "#" + slot[i] || this.query === `${this.model.words[call[i]]} #${slot[i]}`;
  }
  next() {
    if (!this.hits || !this.hits.length) return;
    this.hitAt = (this.hitAt + 1) % this.hits.length;
    const {row, i} = this.hits[this.hitAt];
    this.goTo(row, i);
  }

  // Moves the view so that the operation is seen, and picks it.
  goTo(row, i) {
    const lanes = this.model.lanesOf(row.rank);
    const lane = lanes.find((one) => one.kind === "stream" && one.operations.includes(i));
    const at = this.model.place(lane ? lane.start[lane.operations.indexOf(i)] : row.rank.columns.time[i]);
    const span = this.view[1] - this.view[0];
    if (at < this.view[0] + span * 0.05 || at > this.view[1] - span * 0.05) this.look(at - span / 2, at + span / 2);
    if (row.y < this.lanesBox.scrollTop || row.y + row.height > this.lanesBox.scrollTop + this.seen) this.lanesBox.scrollTop = row.y;
    this.pick({row, rank: row.rank, i});
  }
  step(by) {
    const row = this.picked ? this.picked.row : this.rows[0];
    const i = this.picked ? this.picked.i + by : 0;
    if (row && i >= 0 && i < row.rank.length) this.goTo(row, i);
  }
  changeLane(by) {
    const now = this.picked ? this.rows.indexOf(this.picked.row) : -1;
    const row = this.rows[Math.min(Math.max(now + by, 0), this.rows.length - 1)];
    if (row && row.rank.length) this.goTo(row, Math.min(this.picked ? this.picked.i : 0, row.rank.length - 1));
  }

  pick(what) {
    this.picked = what && what.i !== undefined ? what : null;
    this.members = this.picked ? this.model.membersOf(this.picked.rank, this.picked.i) : [];
    const lines = this.picked ? this.model.describe(this.picked.rank, this.picked.i) : [];
    if (this.members.length > 1) lines.push(`${this.members.length} ranks have called it: ${rangeText(this.members.map(([rank]) => rank.rank))}`);
    this.pickedBox.textContent = visible(lines.join("\n")).replace(/\\u000a/g, "\n");
    this.draw();
  }

  // What stands under the pointer.
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top + this.lanesBox.scrollTop;
    for (const spot of this.spots) {
      if (x >= spot.x0 - 1 && x <= spot.x1 + 1 && y >= spot.y0 && y <= spot.y1) return spot;
    }
    return null;
  }
  hover(event) {
    const spot = this.at(event);
    this.tip.hidden = !spot;
    if (!spot) return;
    this.tip.textContent = visible((spot.text || this.model.describe(spot.rank, spot.i)).join("\u0001")).replace(/\\u0001/g, "\n");
    this.tip.style.left = Math.min(event.clientX + 14, innerWidth - 430) + "px";
    this.tip.style.top = Math.min(event.clientY + 16, innerHeight - 110) + "px";
  }
}
