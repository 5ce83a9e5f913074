// What a timeline's lanes show. The record says when each call was made and which are past, not when each ended: a
// collective cannot end before its last member has called it, nor begin before what is ahead of it on its stream.

const Stage = {past: 0, begun: 1, queued: 2, announced: 3, failed: 4};
const collectives = new Set(["all_reduce", "broadcast", "reduce", "all_gather", "reduce_scatter", "all_to_all", "gather", "scatter",
  "mpi_barrier", "mpi_bcast", "mpi_reduce", "mpi_allreduce", "mpi_gather", "mpi_scatter", "mpi_allgather", "mpi_alltoall",
  "mpi_reduce_scatter", "mpi_scan", "mpi_exscan"]);

class Model {
  constructor(timeline) {
    this.timeline = openTimeline(timeline);
    this.ranks = timeline.ranks;
    this.words = timeline.words;
    this.collective = this.words.map((word) => collectives.has(word));
    this.findLastCalls();
    this.findTimes();
    this.groups = new Map();
    for (const rank of this.ranks) {
      if (!this.groups.has(rank.group)) this.groups.set(rank.group, []);
      this.groups.get(rank.group).push(rank);
    }
    this.laneCache = new Map();
  }

  // By communicator and slot: when the last of its members called.
  findLastCalls() {
    this.lastCall = this.timeline.communicators.map(() => new Map());
    for (const {columns, length} of this.ranks) {
      const {time, call, communicator, slot} = columns;
      for (let i = 0; i < length; ++i) {
        const of = this.lastCall[communicator[i]];
        if (!of || !this.collective[call[i]]) continue;
        const known = of.get(slot[i]);
        if (known === undefined || time[i] > known) of.set(slot[i], time[i]);
      }
    }
  }

  findTimes() {
    let first = Infinity, last = -Infinity;
    for (const rank of this.ranks) {
      if (rank.length) {
        first = Math.min(first, rank.columns.time[0]);
        last = Math.max(last, rank.columns.time[rank.length - 1]);
      }
      for (const thread of rank.threads) {
        if (!thread.blocked || !(thread.since > 0)) continue;
        first = Math.min(first, thread.since);
        last = Math.max(last, thread.since);
      }
    }
    if (first === Infinity) first = last = 0;
    const marks = this.timeline.marks;
    this.first = first;
    this.calm = Math.max(last, marks.last_progress ?? last);
    this.end = Math.max(this.calm, marks.killed ?? 0, marks.decided ?? 0);
    const active = Math.max(this.calm - first, 20);
    if (this.end === this.calm) this.end += active * 0.03;
    // What comes after the last progress is silence. It has a scale of its own: a third of what came before.
    this.squeeze = marks.last_progress === undefined ? 1 : active * 0.33 / (this.end - this.calm);
    this.length = this.place(this.end);
  }

  // From time to a place on the axis, and back.
  place(time) { return time <= this.calm ? time - this.first : this.calm - this.first + (time - this.calm) * this.squeeze; }
  time(place) {
    const active = this.calm - this.first;
    return place <= active ? place + this.first : this.calm + (place - active) / this.squeeze;
  }
  milliseconds(time) { return time * this.timeline.tick_ns / 1e6; }

  // Streams with operations, and host threads that called or wait, of one rank.
  lanesOf(rank) {
    if (this.laneCache.has(rank.rank)) return this.laneCache.get(rank.rank);
    const streams = new Map(), threads = new Map();
    const {stream, thread} = rank.columns;
    for (let i = 0; i < rank.length; ++i) {
      if (!streams.has(stream[i])) streams.set(stream[i], []);
      streams.get(stream[i]).push(i);
      if (!threads.has(thread[i])) threads.set(thread[i], []);
      threads.get(thread[i]).push(i);
    }
    rank.threads.forEach((one, index) => { if (one.blocked && !threads.has(index)) threads.set(index, []); });
    const hosts = [...threads.keys()].sort((a, b) => a - b);
    const lanes = hosts.map((index) => ({
      kind: "host", rank, name: hosts.length > 1 ? `thread ${index}` : "host", thread: rank.threads[index] || null, calls: threads.get(index)}));
    for (const index of [...streams.keys()].sort((a, b) => a - b)) {
      lanes.push(this.streamLane(rank, index, streams.get(index)));
    }
    if (!lanes.length) lanes.push({kind: "host", rank, name: "host", thread: null, calls: []});
    this.laneCache.set(rank.rank, lanes);
    return lanes;
  }

  streamLane(rank, index, operations) {
    const {time, call, communicator, slot, stage} = rank.columns;
    const start = new Float64Array(operations.length), met = new Float64Array(operations.length);
    let before = -Infinity;
    let queued = 0;
    operations.forEach((i, at) => {
      start[at] = Math.max(time[i], before);
      if (stage[i] === Stage.past) {
        const last = this.collective[call[i]] && this.lastCall[communicator[i]] ? this.lastCall[communicator[i]].get(slot[i]) : time[i];
        met[at] = Math.max(start[at], last);
      } else if (stage[i] === Stage.failed) {
        met[at] = start[at];
      } else {
        met[at] = this.end;
        if (stage[i] === Stage.queued) { ++queued; start[at] = time[i]; }
      }
      if (stage[i] !== Stage.queued) before = stage[i] === Stage.announced ? start[at] : met[at];
    });
    return {kind: "stream", rank, name: index < 0 ? "" : rank.streams[index] || "stream", operations, start, met, queued};
  }

  describe(rank, i) {
    const {call, label, communicator, slot, peer, count, caller, time, stage} = rank.columns;
    const on = this.timeline.communicators[communicator[i]];
    const words = [`${this.words[call[i]]}${on ? " #" + slot[i] : ""}`];
    if (this.words[label[i]]) words.push(`"${this.words[label[i]]}"`);
    if (on) words.push(`on ${on.name}`);
    const lines = [words.join(" "), `rank ${rank.rank}, called at ${this.milliseconds(time[i]).toFixed(3)} ms, ${count[i]} elements` +
      (peer[i] >= 0 ? `, root or peer ${peer[i]}` : "")];
    if (this.words[caller[i]]) lines.push(`by ${this.words[caller[i]]}`);
    lines.push(["past", "has begun, and is not past", "queued behind others on its stream", "announced: the host is still in the call", "failed"][stage[i]]);
    return lines;
  }

  // Members of a collective: which ranks called it, and where in their records.
  membersOf(rank, i) {
    const {communicator, slot, call} = rank.columns;
    if (communicator[i] < 0 || !this.collective[call[i]]) return [];
    const members = [];
    for (const other of this.ranks) {
      const {communicator: on, slot: number, call: kind} = other.columns;
      for (let k = 0; k < other.length; ++k) {
        if (on[k] === communicator[i] && number[k] === slot[i] && this.collective[kind[k]]) { members.push([other, k]); break; }
      }
    }
    return members;
  }
}
