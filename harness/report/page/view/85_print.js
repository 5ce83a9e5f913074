// Paper cannot unfold, and is white: what is folded opens for the print, and the colours are those of the light page.

function redrawTimelines() {
  for (const one of document.querySelectorAll(".timeline")) {
    one.drawn.hatches.clear();
    one.drawn.draw();
  }
}

let openedForPaper = [];

function toPaper() {
  // A whole source file is for the screen.
  openedForPaper = [...document.querySelectorAll("details:not([open]):not(.screen-only)")];
  for (const one of openedForPaper) one.open = true;
  document.documentElement.classList.add("paper");
  redrawTimelines();
}

function toScreen() {
  for (const one of openedForPaper) one.open = false;
  openedForPaper = [];
  document.documentElement.classList.remove("paper");
  redrawTimelines();
}

addEventListener("beforeprint", toPaper);
addEventListener("afterprint", toScreen);
