// How a timeline is painted.

Object.assign(Timeline.prototype, {
  draw() {
    if (!this.width) return;
    this.colors = {};
    for (const name of ["paper", "raised", "ink", "soft", "line", "bad", "bad-paper", "mark", "accent"]) this.colors[name] = cssColor("--" + name);
    this.palette = Array.from({length: 8}, (_, index) => cssColor("--c" + index));
    const pen = this.canvas.getContext("2d");
    const top = this.lanesBox.scrollTop;
    pen.clearRect(0, 0, this.total, this.seen);
    pen.save();
    pen.translate(0, -top);
    pen.beginPath();
    pen.rect(kGutter, top, this.total, this.seen);
    pen.clip();
    this.spots = [];
    this.labels = [];  // drawn last, so that no mark runs through their letters
    this.centres = new Map();
    this.backdrop(pen, top);
    for (const row of this.rows) {
      if (row.y + row.height < top || row.y > top + this.seen) continue;
      this.row(pen, row);
    }
    this.arrows(pen);
    this.markLines(pen, top, this.seen);
    for (const label of this.labels) label();
    pen.restore();
    this.drawAxis();
  },

  // Time in which nothing moved is shaded.
  backdrop(pen, top) {
    if (!this.model.timeline.marks.last_progress || this.secret) return;
    const x = this.x(this.model.calm);
    pen.fillStyle = this.colors.raised;
    pen.fillRect(x, top, this.total - x, this.seen);
  },

  row(pen, row) {
    pen.strokeStyle = this.colors.line;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(kGutter, row.y + 0.5);
    pen.lineTo(this.total, row.y + 0.5);
    pen.stroke();
    if (row.ranks.some((rank) => this.culprits.has(rank.rank))) {
      pen.globalAlpha = 0.5;
      pen.fillStyle = this.colors["bad-paper"];
      pen.fillRect(kGutter, row.y + 1, this.total, row.height - 1);
      pen.globalAlpha = 1;
    }
    const lanes = this.model.lanesOf(row.rank);
    let y = row.y + (row.height - lanes.reduce((sum, lane) => sum + (lane.kind === "host" ? kHost : kStream), 0)) / 2;
    for (const lane of lanes) {
      if (lane.kind === "host") { this.host(pen, row, lane, y); y += kHost; }
      else { this.stream(pen, row, lane, y); y += kStream; }
    }
    this.ending(pen, row);
  },

  text(pen, text, x, y, room, color, weight = 400) {
    if (room < 16) return;
    pen.font = `${weight} 11px system-ui, "Liberation Sans", "DejaVu Sans", sans-serif`;
    let shown = visible(text);
    if (pen.measureText(shown).width > room) {
      const letter = pen.measureText("n").width;
      shown = shown.slice(0, Math.max(0, Math.floor(room / letter) - 1));
      if (shown.length < 3) return;
      shown += "…";
    }
    pen.fillStyle = color;
    pen.textBaseline = "middle";
    pen.fillText(shown, x, y);
  },

  host(pen, row, lane, y) {
    const {columns} = row.rank, middle = y + kHost / 2;
    pen.strokeStyle = this.colors.line;
    pen.beginPath(); pen.moveTo(kGutter, middle); pen.lineTo(this.total, middle); pen.stroke();
    pen.fillStyle = this.colors.soft;
    let drawn = -10;
    for (const i of lane.calls) {
      const x = this.x(columns.time[i]);
      if (x < kGutter || x > this.total || x - drawn < 2) continue;
      drawn = x;
      pen.fillRect(x, middle - 4, 1.5, 8);
    }
    const thread = lane.thread;
    if (!thread || !thread.blocked) return;
    const x0 = Math.max(this.x(Math.max(thread.since, this.model.first)), kGutter), x1 = this.x(this.model.end);
    if (x1 < kGutter || x0 > this.total) return;
    pen.globalAlpha = 0.55;
    pen.fillStyle = this.colors.ink;
    pen.fillRect(x0, middle - 3, x1 - x0, 6);
    pen.globalAlpha = 1;
    const name = thread.call;
    pen.font = "400 11px system-ui, sans-serif";
    const wide = pen.measureText(name).width + 10, at = Math.max(x0, kGutter) + 6;
    if (x1 - at > wide) this.labels.push(() => {
      pen.fillStyle = this.colors.paper;
      pen.fillRect(at, middle - 8, wide, 16);
      this.text(pen, name, at + 5, middle, wide, this.colors.ink);
    });
    this.spots.push({x0, x1, y0: y, y1: y + kHost, text: [`rank ${row.rank.rank}: the host is blocked in ${thread.call}`,
      thread.label ? `"${thread.label}"` : "", thread.caller || ""].filter(Boolean)});
  },

  // Stripes in a communicator's colour: waiting.
  hatch(pen, color) {
    if (!this.hatches.has(color)) {
      const tile = document.createElement("canvas");
      tile.width = tile.height = 8;
      const brush = tile.getContext("2d");
      brush.strokeStyle = color;
      brush.lineWidth = 2;
      for (const shift of [-8, 0, 8]) { brush.beginPath(); brush.moveTo(shift, 8); brush.lineTo(shift + 8, 0); brush.stroke(); }
      this.hatches.set(color, pen.createPattern(tile, "repeat"));
    }
    return this.hatches.get(color);
  },

  stream(pen, row, lane, y) {
    const {rank} = row, {call, label, communicator, stage, slot} = rank.columns;
    const {operations, start, met} = lane;
    const y0 = y + 3, tall = kStream - 6;
    let at = this.firstSeen(met, this.model.time(this.view[0]));
    if (at > 0) --at;
    const end = this.model.time(this.view[1]);
    let drawn = -10;
    for (; at < operations.length && start[at] <= end; ++at) {
      const i = operations[at];
      if (stage[i] === Stage.queued) continue;
      const x0 = this.x(start[at]), xm = this.x(met[at]);
      // Of the last call nothing bounds the end: it is drawn as a stub.
      const next = at + 1 < operations.length ? this.x(Math.min(Math.max(start[at + 1], met[at]), this.model.end)) - 1 : xm + 12;
      const x1 = stage[i] === Stage.past ? Math.max(next, xm, x0 + 1.5) : xm;
      if (x1 < kGutter) continue;
      if (x1 - drawn < 0.7 && !this.query) continue;
      drawn = x1;
      const color = communicator[i] < 0 ? this.colors.soft : this.palette[communicator[i] % 8];
      const dim = this.query && !this.matches(rank, i);
      const open = stage[i] === Stage.begun || stage[i] === Stage.announced;
      pen.globalAlpha = dim ? 0.12 : open ? 0.22 : 0.3;
      pen.fillStyle = color;
      pen.fillRect(x0, y0, Math.max(x1 - x0, 1), tall);
      pen.globalAlpha = dim ? 0.15 : 1;
      if (xm - x0 > 1) {
        pen.save();
        pen.globalAlpha *= open ? 0.75 : 0.5;
        pen.fillStyle = this.hatch(pen, color);
        pen.fillRect(x0, y0, xm - x0, tall);
        pen.restore();
      }
      if (!open) { pen.fillStyle = color; pen.fillRect(Math.max(xm - 0.75, x0), y0, 2, tall); }
      if (open || this.picked && this.picked.rank === rank && this.picked.i === i) {
        pen.strokeStyle = open ? color : this.colors.ink;
        pen.lineWidth = 1.5;
        if (stage[i] === Stage.announced) pen.setLineDash([4, 3]);
        pen.strokeRect(x0 + 0.75, y0 + 0.75, Math.max(x1 - x0 - 1.5, 1), tall - 1.5);
        pen.setLineDash([]);
      }
      const named = this.model.words[label[i]] || this.model.words[call[i]];
      const full = open ? `${this.model.words[call[i]]}${communicator[i] < 0 ? "" : " #" + slot[i]}${this.model.words[label[i]] ? "  " + this.model.words[label[i]] : ""}` : named;
      const left = Math.max(x0, kGutter) + 5, room = Math.min(x1, this.total - (open && lane.queued ? 80 : 0)) - left - 4;
      if (!dim && (open ? room > 24 : room > 46 && this.fits(pen, named, room))) this.backed(pen, full, left, y0 + tall / 2, room, open);
      pen.globalAlpha = 1;
      this.spots.push({x0: Math.max(x0, kGutter), x1, y0, y1: y0 + tall, row, rank, i});
      this.centres.set(rank.rank + ":" + i, [Math.min(Math.max(x0, kGutter), this.total), y0 + tall / 2]);
    }
    if (lane.queued) this.backed(pen, `+${lane.queued} queued`, this.total - 78, y0 + tall / 2, 76, true);
  },

  // Whether enough of the text would be seen to be of use.
  fits(pen, text, room) {
    pen.font = '400 11px system-ui, "Liberation Sans", "DejaVu Sans", sans-serif';
    return room > 110 || pen.measureText(text).width <= room - 4;
  },

  // A label on paper, so that stripes do not run through its letters.
  backed(pen, text, x, y, room, strong) {
    pen.font = `${strong ? 600 : 400} 11px system-ui, "Liberation Sans", "DejaVu Sans", sans-serif`;
    if (!strong) { this.text(pen, text, x + 2, y, room - 4, this.colors.ink); return; }
    const wide = Math.min(pen.measureText(visible(text)).width + 8, room);
    this.labels.push(() => {
      pen.fillStyle = this.colors.paper;
      pen.globalAlpha = 0.9;
      pen.fillRect(x - 2, y - 8, wide, 16);
      pen.globalAlpha = 1;
      this.text(pen, text, x + 2, y, room - 4, this.colors.ink, 600);
    });
  },

  // The first operation that is not over at `time`.
  firstSeen(ends, time) {
    let low = 0, high = ends.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (ends[middle] < time) low = middle + 1; else high = middle;
    }
    return low;
  },

  // How a process ended, behind its last call.
  ending(pen, row) {
    const {rank} = row;
    if (this.secret || rank.process === "alive" || !this.hangs) return;
    const last = rank.length ? rank.columns.time[rank.length - 1] : this.model.first;
    const x = Math.max(this.x(last) + 26, kGutter + 8);
    const how = rank.process === "signaled" ? `ended by signal ${rank.code}` : rank.code_known ? `exited with code ${rank.code}` : "exited";
    this.backed(pen, how, x, row.y + row.height / 2, 170, true);
  },

  arrows(pen) {
    if (!this.members || this.members.length < 2 || !this.picked) return;
    const from = this.centres.get(this.picked.rank.rank + ":" + this.picked.i);
    if (!from) return;
    pen.strokeStyle = this.colors.accent;
    pen.fillStyle = this.colors.accent;
    pen.lineWidth = 1.6;
    for (const [rank, i] of this.members) {
      const to = this.centres.get(rank.rank + ":" + i);
      if (!to || rank === this.picked.rank) continue;
      pen.beginPath();
      pen.moveTo(from[0], from[1]);
      pen.bezierCurveTo(from[0] - 24, (from[1] + to[1]) / 2, to[0] - 24, (from[1] + to[1]) / 2, to[0], to[1]);
      pen.stroke();
      pen.beginPath(); pen.arc(to[0], to[1], 3.2, 0, 7); pen.fill();
    }
    pen.beginPath(); pen.arc(from[0], from[1], 4, 0, 7); pen.fill();
  },

  markLines(pen, top, tall) {
    for (const {x, color, dash} of this.marks()) {
      if (x < kGutter || x > this.total) continue;
      pen.strokeStyle = color;
      pen.lineWidth = 1.5;
      pen.setLineDash(dash);
      pen.beginPath(); pen.moveTo(x, top); pen.lineTo(x, top + tall); pen.stroke();
      pen.setLineDash([]);
    }
  },

  marks() {
    if (this.secret) return [];
    const {last_progress: last, proven, killed} = this.model.timeline.marks;
    const after = (time) => last === undefined ? "" : ` +${figure(this.model.milliseconds(time - last))} ms`;
    const all = [];
    if (last !== undefined) all.push({x: this.x(last), text: "last progress", color: this.colors.soft, dash: [4, 4]});
    if (proven !== undefined) all.push({x: this.x(proven), text: "proof" + after(proven), color: this.colors.bad, dash: []});
    if (killed !== undefined && this.hangs) all.push({x: this.x(killed), text: "kill" + after(killed), color: this.colors.ink, dash: [2, 3]});
    return all;
  },

  drawAxis() {
    const pen = this.axis.getContext("2d");
    pen.clearRect(0, 0, this.total, kAxis);
    pen.strokeStyle = this.colors.line;
    pen.beginPath(); pen.moveTo(0, kAxis - 0.5); pen.lineTo(this.total, kAxis - 0.5); pen.stroke();
    const from = this.model.time(this.view[0]), to = this.model.time(Math.min(this.view[1], this.model.calm - this.model.first));
    const unit = this.model.timeline.tick_ns / 1e6;
    const calmX = Math.min(this.x(this.model.calm), this.total);
    if (to > from && calmX > kGutter + 40) {
      const rough = (to - from) * unit / Math.max(1, (calmX - kGutter) / 110);
      const power = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) / unit;
      const places = Math.max(0, -Math.floor(Math.log10(step * unit) + 1e-9));
      for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
        const x = this.x(time);
        if (x > this.total - 30) break;
        pen.fillStyle = this.colors.line;
        pen.fillRect(x, kAxis - 7, 1, 7);
        this.text(pen, `${(time * unit).toFixed(places)} ms`, x + 4, kAxis - 10, 100, this.colors.soft);
      }
    }
    if (this.secret || this.model.timeline.marks.last_progress === undefined) return;
    const taken = {12: [], 29: []};
    for (const {x, text, color} of this.marks()) {
      if (x < kGutter || x > this.total) continue;
      pen.font = '600 11px system-ui, "Liberation Sans", "DejaVu Sans", sans-serif';
      const wide = pen.measureText(text).width;
      const beside = x + 4 + wide > this.total ? x - wide - 4 : x + 4;
      // In the first of two lines that has room; a label without room is left to its line below.
      const row = [12, 29].find((one) => taken[one].every(([from, to]) => beside > to + 6 || beside + wide < from - 6));
      if (row === undefined) continue;
      taken[row].push([beside, beside + wide]);
      pen.fillStyle = this.colors.paper;
      pen.fillRect(beside - 2, row - 8, wide + 4, 16);
      this.text(pen, text, beside, row, wide + 2, color, 600);
      pen.fillStyle = color;
      pen.fillRect(x - 0.75, row - 6, 1.5, kAxis - row + 6);
    }
  },
});
