// Which page the link names.

// What stands behind the #; as it is where it is no encoded text.
function linked() {
  const text = location.hash.slice(1);
  try { return decodeURIComponent(text); } catch { return text; }
}

function route(data, place) {
  const hash = linked();
  // A watched program is all that its page has to show.
  const only = hash === "" && data.variants.length === 1 && data.variants[0].role === "watch" && !data.answer;
  const variant = only ? data.variants[0] : data.variants.find((one) => one.id === hash);
  const whole = data.answer ? sheetPage : summaryPage;
  const content = variant ? variantPage(data, variant) : whole(data, hash.startsWith("?") ? location.hash.slice(1) : "");
  place.replaceChildren(...content.flat().filter(Boolean));
  document.title = variant ? `${visible(variant.id)} – Gridlock` : "Gridlock";
  return variant;
}

function begin() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = element("main", {id: "main", tabindex: -1});
  document.getElementById("page").append(element("a", {class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); main.focus(); }}, "Skip to the content"),
    element("header", {class: "brand"}, element("span", {}, element("b", {}, "Gridlock"), data.book ? " · a book of hangs" : " · report"),
      element("span", {}, data.context.filter(([name]) => name === "Commit" || name === "NCCL").map(([name, text]) => `${name} ${name === "Commit" ? text.replace(/^([0-9a-f]{7})[0-9a-f]+/, "$1") : text}`).join(" · "))), main);
  if (data.book) {
    main.append(...bookPage(data).flat().filter(Boolean));
    const wanted = document.getElementById(linked());
    if (wanted) wanted.scrollIntoView();
  } else {
    let shown = route(data, main);
    addEventListener("hashchange", () => {
      const before = shown;
      shown = route(data, main);
      if (shown !== before) { scrollTo(0, 0); main.focus({preventScroll: true}); }
    });
  }
  document.documentElement.dataset.ready = "true";
}

begin();
