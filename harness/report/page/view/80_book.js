// The book: all scenarios in chapters, each with a question before its answer.

const chapters = [
  ["missing_ranks", "Who did not come", "A collective waits for every member. These hangs begin with one rank that never makes the call."],
  ["order", "Order", "Every rank comes, but not in the same order, and each waits for the other."],
  ["host_waits", "Host waits", "The host itself waits for the device, and cannot make the call that would set the device free."],
  ["batches", "Batches", "Ranks have different amounts of work, and so make different numbers of calls."],
  ["sync_batchnorm", "SyncBatchNorm", "A layer hides collectives in the forward pass."],
  ["memory_and_loaders", "Memory and loaders", "A rank that is stuck outside of all collectives holds up all others."],
  ["timeouts", "Time-outs", "What time-outs turn a hang into, and what they cost."],
  ["environment", "Environment", "The job hangs before its first step, because of how it was started."],
  ["mpi", "MPI", "The same traps with MPI's calls."],
  ["faults", "Faults", "The program has no bug: a device or a host fails, and the other ranks wait for it."],
  ["healthy", "Healthy", "Nothing hangs here. Who can tell a hang must also be silent here."],
];

function chapterOf(scenario) { return scenario.file.split("/")[0]; }

// Who is to blame? Asked on the timeline, answered by a click or by unfolding.
function questionOf(variant) {
  const culprits = variant.verdict.culprits;
  const asked = element("div", {class: "question"});
  const answer = element("details", {}, element("summary", {}, "Show the answer"));
  const reply = element("p", {role: "status"});
  const place = element("div", {});
  let drawn = false;
  const draw = (secret) => { const line = timelineOf(variant, {secret}); if (line) place.replaceChildren(line); };
  const ranks = variant.ranks <= 16 ? [...Array(variant.ranks).keys()] : [];
  const buttons = ranks.map((rank) => element("button", {type: "button", onclick: () => {
    reply.textContent = culprits.includes(rank)
      ? culprits.length > 1 ? `Yes, and it is not alone: ${rangeText(culprits)}.` : `Yes, rank ${rank}.`
      : culprits.length ? `No: rank ${rank} only waits. Look at who has not come.` : "No one rank is to blame here.";
  }}, `rank ${rank}`));
  answer.append(verdictBox(variant));
  const graph = graphSection(variant.graph);
  if (graph) answer.append(graph);
  answer.addEventListener("toggle", () => { if (drawn) draw(!answer.open); });
  asked.append(element("b", {}, "Which rank is to blame?"), element("p", {}, "Look at the timeline: who waits, for what, and who is not there?"),
    element("div", {class: "group no-print"}, ...buttons), reply, answer);
  // Timelines are drawn when the reader comes to them.
  new IntersectionObserver((entries, observer) => {
    if (drawn || !entries.some((entry) => entry.isIntersecting)) return;
    drawn = true;
    observer.disconnect();
    draw(!answer.open);
  }, {rootMargin: "300px"}).observe(place);
  return [place, asked];
}

function curesTable(data, variants) {
  const cures = variants.filter((one) => one.role === "fix" || one.role === "remedy");
  if (!cures.length) return null;
  return element("div", {class: "scrolls"}, element("table", {}, element("caption", {}, "What cures it, what only helps, and what each costs"),
    element("thead", {}, element("tr", {}, ...["Cure", "", "What it does", "Verdict", "Step time over the control's"].map((title) => element("th", {scope: "col"}, title)))),
    element("tbody", {}, ...cures.map((one) => {
      const told = data.scenarios[one.scenario].variants[one.variant];
      return element("tr", {}, element("td", {}, named(one.variant)), element("td", {}, roleBadge(one.role)), element("td", {}, told ? told.summary : ""),
        element("td", {}, one.verdicts), element("td", {class: "number"}, one.cost ? median(one.cost) + "×" : "–"));
    }))));
}

function hangOf(data, name, scenario) {
  const variants = data.variants.filter((one) => one.scenario === name);
  const broken = variants.filter((one) => one.role === "broken");
  const lesson = lessonOf(scenario.lesson);
  const first = broken.find((one) => hangOutcomes.has(one.status)) || broken[0];
  const part = element("article", {class: "hang", id: name}, element("h3", {}, named(name)), element("p", {class: "soft"}, scenario.summary));
  for (const variant of broken) {
    const told = scenario.variants[variant.variant];
    part.append(element("h4", {}, named(variant.variant), told ? `: ${told.summary}` : ""));
    if (hangOutcomes.has(variant.status) && variant.timeline) part.append(...questionOf(variant));
    else part.append(verdictBox(variant));
  }
  const open = element("details", {open: !broken.length}, element("summary", {}, element("b", {}, "The lesson, and the cures")), ...lesson.filter(Boolean));
  const cures = curesTable(data, variants);
  if (cures) open.append(cures);
  if (first) {
    const code = element("details", {}, element("summary", {}, "The code, beside that of its cure"));
    code.addEventListener("toggle", () => { if (code.open && code.children.length === 1) { const shown = codeSection(data, first); if (shown) code.append(shown); } });
    open.append(code);
  }
  part.append(open);
  return part;
}

function bookPage(data) {
  Object.assign(heading, {section: "h4", part: "h4", isLandmark: false});
  const names = Object.keys(data.scenarios);
  const known = new Set(chapters.map(([folder]) => folder));
  const all = [...chapters, ...[...new Set(names.map((name) => chapterOf(data.scenarios[name])))].filter((folder) => !known.has(folder)).map((folder) => [folder, folder, ""])];
  const used = all.map(([folder, title, says]) => ({title, says, names: names.filter((name) => chapterOf(data.scenarios[name]) === folder)})).filter((one) => one.names.length);
  const goTo = (id) => (event) => { event.preventDefault(); document.getElementById(id).scrollIntoView(); history.replaceState(null, "", "#" + id); };
  return [
    element("h1", {}, "Why distributed training hangs"),
    element("p", {}, "Every hang on these pages ran, and was proven from a record of its calls. Before each answer there is its picture, and a question: who is to blame? Look before you unfold."),
    ...notices(data), contextDetails(data),
    element("nav", {"aria-label": "Contents"}, element("ol", {class: "contents"}, ...used.map(({title, names: within}) => element("li", {}, element("b", {}, title),
      element("ul", {}, ...within.map((name) => element("li", {}, element("a", {href: "#" + name, onclick: goTo(name)}, named(name))))))))),
    ...used.map(({title, says, names: within}, index) => element("section", {class: "chapter", "aria-label": title},
      element("h2", {}, `${index + 1}. ${title}`), element("p", {class: "soft"}, says), ...within.map((name) => hangOf(data, name, data.scenarios[name]))))];
}
