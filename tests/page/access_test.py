"""The pages against axe-core, which knows what screen readers and keyboards need, and on paper."""

import pathlib
import sys
import tempfile

from answers import PROFILE
from browser import chromium, open_page, run_gridlock, skip

gridlock, source = sys.argv[1], pathlib.Path(sys.argv[2])
AXE = source / "build/checkers/axe.min.js"


def violations(page):
    page.execute_script(AXE.read_text())
    return page.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document, {resultTypes: ['violations']}).then(found => done(found.violations.map(one =>"
        " `${one.id} (${one.impact}): ${one.help}: ` + one.nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(' | '))),"
        " error => done(['axe failed: ' + error]));")


def check_access(page, file, fragment=""):
    open_page(page, file, fragment)
    found = violations(page)
    assert not found, f"{file.name}{fragment}:\n" + "\n".join(found)


def check_axe_sees(page, file):
    open_page(page, file)
    page.execute_script("document.querySelector('main').append(document.createElement('button'))")
    assert violations(page), "axe finds a button without a name"


def check_paper(page, file):
    open_page(page, file, "#uneven_batches/peers_leave")
    closed = "return document.querySelectorAll('details:not([open]):not(.screen-only)').length"
    ground = "return getComputedStyle(document.body).backgroundColor"
    before, dark = page.execute_script(closed), page.execute_script(ground)
    assert before > 0
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert page.execute_script(closed) == 0, "paper cannot unfold"
    assert page.execute_script(ground) == "rgb(255, 255, 255)" != dark, "paper is white"
    page.execute_script("dispatchEvent(new Event('afterprint'))")
    assert page.execute_script(closed) == before and page.execute_script(ground) == dark, "the screen is as it was"


def main():
    if not AXE.exists():
        skip("no axe-core: scripts/get_checkers.sh fetches it")
    with tempfile.TemporaryDirectory(prefix="gridlock-access-") as name:
        folder = pathlib.Path(name)
        (folder / "p.toml").write_text(PROFILE)
        run, answer = folder / "run", folder / "answer"
        commands = [("run", "uneven_batches", "rank_crash", "--output", run), ("report", "--book", run),
                    ("accept", "p.toml", "--output", answer)]
        with chromium() as light:
            for command in commands:
                code, said = run_gridlock(gridlock, *command, folder=folder)
                assert code in (0, 1), said
            pages = [(run / "index.html", ""), (run / "index.html", "#uneven_batches/peers_leave"),
                     (run / "index.html", "#uneven_batches/join"), (answer / "index.html", ""), (run / "book.html", "")]
            for file, fragment in pages:
                check_access(light, file, fragment)
            check_axe_sees(light, run / "index.html")
        with chromium(dark=True) as dark:
            for file, fragment in pages:
                check_access(dark, file, fragment)
            check_paper(dark, run / "index.html")
    print("axe finds nothing on the pages, light and dark")


main()
