"""The page in a real browser. Times are printed and not judged: they are those of the machine."""

import copy
import json
import pathlib
import sys
import tempfile
import urllib.parse

from answers import check_acceptance, check_soak
from big_timeline import big_timeline
from browser import chromium, open_page, run_gridlock, wait_for

gridlock, source = sys.argv[1], pathlib.Path(sys.argv[2])
SCENARIOS = ["uneven_batches", "interleaved_communicators", "rank_crash"]
EVIL = "</script><script>window.evil=1</script><img src=x onerror='window.evil=1'>\u202e\u0007../../up"


def run(*arguments, folder):
    return run_gridlock(gridlock, *arguments, folder=folder)


def data_of(file):
    text = file.read_text()
    begin = text.index('id="data">') + len('id="data">')
    return json.loads(text[begin:text.index("</script>", begin)])


def check_console(page, where):
    bad = [entry for entry in page.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert not bad, f"{where}: the browser complains: {bad}"


def rows(page):
    return page.execute_script("return document.querySelectorAll('.variants tbody tr:not(.scenario)').length")


def set_value(page, selector, value, event):
    page.execute_script("const one = document.querySelector(arguments[0]); one.value = arguments[1];"
                        "one.dispatchEvent(new Event(arguments[2], {bubbles: true}));", selector, value, event)


def check_summary(page, file, data):
    open_page(page, file)
    assert rows(page) == len(data["variants"])
    set_value(page, "input[type=search]", "padding", "input")
    assert 0 < rows(page) < len(data["variants"]), "words filter"
    assert "padding" in page.execute_script("return location.hash")
    page.refresh()
    wait_for(page, "return document.documentElement.dataset.ready === 'true'")
    assert 0 < rows(page) < len(data["variants"]), "a link survives a reload"
    set_value(page, "input[type=search]", "", "input")
    page.execute_script("document.querySelector('[data-role=fix]').click()")
    assert rows(page) == sum(one["role"] == "fix" for one in data["variants"]), "roles filter"
    page.execute_script("document.querySelector('[data-role=fix]').click()")
    set_value(page, "select", "deadlock", "change")
    assert rows(page) == sum(one["status"] == "deadlock" for one in data["variants"]), "verdicts filter"
    set_value(page, "select", "", "change")
    page.execute_script("document.querySelector('[data-sort=detect]').click()")
    shown = page.execute_script("return [...document.querySelectorAll('.variants tbody tr')].map(r => r.cells[4].textContent)"
                                ".filter(t => t).map(Number)")
    assert shown == sorted(shown) and shown, "a click on a column sorts"
    check_console(page, "summary")


def check_variant(page, file, variant):
    open_page(page, file, "#" + urllib.parse.quote(variant["id"]))
    title = page.execute_script("return document.querySelector('h1').textContent")
    assert (variant["variant"] or variant["scenario"]) in title, f"{variant['id']} opens as {title}"
    assert page.execute_script("return document.querySelectorAll('main, h1').length") == 2
    if "timeline" in variant:
        wait_for(page, "return document.querySelector('.timeline').drawn.width > 0")
        inked = page.execute_script(
            "const c = document.querySelector('.lanes canvas');"
            "const bytes = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
            "let inked = 0; for (let i = 3; i < bytes.length; i += 4) inked += bytes[i] > 0; return inked;")
        assert inked > 100, f"{variant['id']}: the timeline is empty"
    if variant["status"] in ("deadlock", "stall") and variant["verdict"]["culprits"]:
        blamed = page.execute_script("return [...document.querySelectorAll('.gutter .culprit')].map(one => one.textContent)")
        assert blamed and all("to blame" in one for one in blamed), f"{variant['id']}: the culprit is not marked"
        if variant.get("graph") and variant["graph"]["svg"]:
            assert page.execute_script("return document.querySelectorAll('.graph .culprit').length") > 0, variant["id"]
    check_console(page, variant["id"])


def check_keys(page, file, variant):
    open_page(page, file, "#" + variant["id"])
    wait_for(page, "return document.querySelector('.timeline').drawn.width > 0")
    press = ("const canvas = document.querySelector('.lanes canvas'); canvas.focus();"
             "canvas.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true, cancelable: true}));"
             "return document.querySelector('.timeline').drawn.view;")
    whole = page.execute_script(press, "0")
    near = page.execute_script(press, "+")
    assert near[1] - near[0] < whole[1] - whole[0], "plus zooms in"
    assert page.execute_script(press, "ArrowLeft")[0] < near[0], "an arrow moves"
    assert page.execute_script(press, "0") == whole, "0 shows all"
    page.execute_script(press, "n")
    assert "rank" in page.execute_script("return document.querySelector('.picked').textContent"), "n picks an operation"
    set_value(page, ".tools input", "no such operation", "input")
    assert page.execute_script("return document.querySelector('.found').textContent").startswith("0 found")
    wheel = ("const box = document.querySelector('.lanes'); document.querySelector('.lanes canvas').focus();"
             "box.dispatchEvent(new WheelEvent('wheel', {deltaY: -300, ctrlKey: true, bubbles: true, cancelable: true}));"
             "return document.querySelector('.timeline').drawn.view;")
    turned = page.execute_script(wheel)
    assert turned[1] - turned[0] < whole[1] - whole[0], "the wheel zooms"
    check_console(page, "keys")


def check_code(page, file):
    open_page(page, file, "#uneven_batches/peers_leave")
    marked = page.execute_script("return document.querySelectorAll('table.diff td.out, table.diff td.in').length")
    assert marked > 0, "broken and cure differ, and the lines are marked"
    assert "BUG" in page.execute_script("return document.querySelector('table.diff').textContent")


def check_hostile(page, folder, results):
    evil = copy.deepcopy(results)
    for one in evil["runs"][:3]:
        one["scenario"] = one["variant"] = EVIL
        one["explanation"] = one["role"] = EVIL
        one["faults"] = [{"ranks": [0], "what": EVIL}]
    evil["context"]["host"] = EVIL
    hostile = folder / "hostile"
    hostile.mkdir()
    (hostile / "results.json").write_text(json.dumps(evil))
    (hostile / "scenarios.json").write_text("{")
    (hostile / "timelines").mkdir()
    code, said = run("report", hostile, folder=folder)
    assert code == 0, said
    for variant in data_of(hostile / "index.html")["variants"]:
        open_page(page, hostile / "index.html", "#" + urllib.parse.quote(variant["id"]))
        assert page.execute_script("return window.evil") is None, "a name became markup"
    open_page(page, hostile / "index.html")
    assert page.execute_script("return window.evil") is None
    assert page.execute_script("return document.querySelectorAll('.notice').length") == 1, "what is damaged is told"


def check_big(page, folder, results, ranks, operations):
    big = folder / "big"
    (big / "timelines").mkdir(parents=True)
    run_one = next(one for one in results["runs"] if one["outcome"] == "deadlock")
    run_one = {**run_one, "scenario": "big", "variant": "one", "ranks": ranks, "repetition": 0, "culprits": [ranks - 1]}
    (big / "results.json").write_text(json.dumps({**results, "runs": [run_one]}))
    (big / "timelines" / f"big.one.n{ranks}.0.json").write_text(big_timeline(ranks, operations))
    code, said = run("report", big, folder=folder)
    assert code == 0, said
    size = (big / "index.html").stat().st_size
    assert size < 5 << 20, f"a page of {ranks} ranks with {operations} operations has {size} bytes"
    open_page(page, big / "index.html")
    took = page.execute_script(
        "const begun = performance.now(); location.hash = '#big/one';"
        "return new Promise(done => addEventListener('hashchange', () => requestAnimationFrame(() => requestAnimationFrame(() => {"
        "const one = document.querySelector('.timeline').drawn, first = performance.now() - begun;"
        "const again = performance.now(); one.zoom(0.5); one.pan(0.1); const zoomed = (performance.now() - again) / 2;"
        "one.foldAll(); one.resize(); const unfolding = performance.now(); one.draw(); "
        "done([first, zoomed, performance.now() - unfolding, one.rows.length]); }))))")
    print(f"{ranks} ranks with {operations} operations: page of {size / 1e6:.2f} MB, first drawn after {took[0]:.0f} ms, "
          f"zoomed in {took[1]:.1f} ms, drawn unfolded in {took[2]:.1f} ms")
    assert took[3] in (2, ranks), "equal ranks fold and unfold"
    check_console(page, "big")


def check_watched(page, folder, results):
    watched = folder / "watched"
    watched.mkdir()
    one = next(one for one in results["runs"] if one["outcome"] == "deadlock")
    one = {**one, "scenario": "train", "variant": "", "role": "watch", "as_declared": False, "expected": []}
    (watched / "results.json").write_text(json.dumps({**results, "runs": [one]}))
    code, said = run("report", watched, folder=folder)
    assert code == 0, said
    open_page(page, watched / "index.html")
    assert page.execute_script("return document.querySelector('h1').textContent").startswith("train"), "its only run is shown at once"
    assert "eclared" not in page.execute_script("return document.querySelector('.verdict').textContent"), "it declared nothing"
    check_console(page, "watched")


def check_book(page, folder, out):
    code, said = run("report", "--book", out, folder=folder)
    assert code == 0, said
    open_page(page, out / "book.html")
    assert page.execute_script("return document.querySelectorAll('.hang').length") == len(SCENARIOS)
    assert page.execute_script("return document.querySelectorAll('.question').length") > 0
    page.execute_script("document.querySelector('.question').scrollIntoView()")
    wait_for(page, "return document.querySelector('.timeline') && document.querySelector('.timeline').drawn.width > 0")
    assert page.execute_script("return document.querySelector('.timeline .culprit') === null"), "the answer is not given away"
    page.execute_script("document.querySelector('.question details').open = true")
    wait_for(page, "return document.querySelector('.timeline .culprit') !== null")
    check_console(page, "book")


def check_size(file, data, folder):
    code, listed = run("list", "--json", folder=folder)
    assert code == 0, listed
    all_variants = sum(len(one["variants"]) for one in json.loads(listed)["scenarios"])
    size = file.stat().st_size
    whole = size / len(data["variants"]) * all_variants
    print(f"page of {len(data['variants'])} variants: {size / 1e6:.2f} MB; of all {all_variants} it would be {whole / 1e6:.1f} MB")
    assert whole < 10e6


def main():
    with tempfile.TemporaryDirectory(prefix="gridlock-page-") as name:
        folder = pathlib.Path(name)
        out = folder / "out"
        with chromium() as page:
            code, said = run("run", *SCENARIOS, "--output", out, folder=folder)
            assert (out / "index.html").exists(), said
            data = data_of(out / "index.html")
            results = json.loads((out / "results.json").read_text())
            check_size(out / "index.html", data, folder)
            check_summary(page, out / "index.html", data)
            for variant in data["variants"]:
                check_variant(page, out / "index.html", variant)
            assert any("timeline" in one for one in data["variants"])
            check_keys(page, out / "index.html", next(one for one in data["variants"] if one["status"] == "deadlock"))
            check_code(page, out / "index.html")
            check_watched(page, folder, results)
            check_acceptance(page, folder, run, check_console)
            check_soak(page, folder, run, check_console)
            check_book(page, folder, out)
            check_hostile(page, folder, results)
            check_big(page, folder, results, 256, 4096)
    print("the page does as it should in Chromium")


main()
