// Runs in a copy of a page, inside a frame, and tells the page around it what is where.
(() => {
  const width = document.documentElement.clientWidth;
  const box = (it) => it.getBoundingClientRect();
  const shown = (it) => box(it).width > 0 && box(it).height > 0;
  const what = (it) => `${it.tagName} ${it.getAttribute("class")} ${it.textContent.slice(0, 40)}`;
  const all = [...document.body.querySelectorAll("*")].filter(shown);
  const bar = (it) => ({
    kind: it.getAttribute("class"), n: +it.dataset.n,
    x: box(it).left, width: box(it).width, y: box(it).bottom, height: box(it).height,
  });
  const bars = (within) => [...within.querySelectorAll("rect[data-n]")].map(bar);

  // Relative luminance and contrast, as the accessibility guidelines (WCAG 2) have them.
  const colour = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (text) => colour(text).slice(0, 3)
    .map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (one, other) => {
    const [a, b] = [light(one), light(other)].sort((a, b) => b - a);
    return (a + 0.05) / (b + 0.05);
  };
  const behind = (it) => {
    const found = getComputedStyle(it).backgroundColor;
    const alpha = colour(found)[3] ?? 1;
    return alpha === 0 && it.parentElement ? behind(it.parentElement) : found;
  };
  const says = (it) => [...it.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
  const faint = all.filter(says).flatMap((it) => {
    const style = getComputedStyle(it);
    const ink = it instanceof SVGElement ? style.fill : style.color;
    const ratio = contrast(ink, behind(it));
    return ratio < 4.5 ? [`${what(it)}: ${ratio.toFixed(2)}`] : [];
  });
  const card = document.querySelector(".card");
  const pale = [...document.querySelectorAll("rect[data-n]")].filter(shown).flatMap((it) => {
    const ratio = contrast(getComputedStyle(it).fill, behind(card));
    return ratio < 3 ? [`${it.getAttribute("class")}: ${ratio.toFixed(2)}`] : [];
  });

  const overlapping = [".x", ".y", ".scale .bar"].flatMap((place) =>
    [...document.querySelectorAll(place)].flatMap((axis) => {
      const labels = [...axis.querySelectorAll("text")].filter(shown);
      return labels.slice(1).flatMap((label, index) => {
        const [a, b] = [box(labels[index]), box(label)];
        const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        return apart ? [] : [`${labels[index].textContent} and ${label.textContent}`];
      });
    }));

  parent.postMessage({
    page: location.pathname.split("/").pop(), width,
    scrolls: document.documentElement.scrollWidth,
    outside: all.filter((it) => box(it).right > width + 0.5 || box(it).left < -0.5).map(what),
    cutOff: all.filter((it) => !(it instanceof SVGElement) && it.tagName !== "CAPTION"
      && it.scrollWidth > it.clientWidth + 1 && it.clientWidth > 0).map(what),
    small: [...document.querySelectorAll("svg text")].filter(shown)
      .filter((it) => box(it).height < 10).map(what),
    faint, pale, overlapping,
    charts: [...document.querySelectorAll("section[id]")].map((section) => ({
      id: section.id,
      bars: [...section.querySelectorAll(".bars li:not(.scale)")]
        .map((row) => ({ name: row.querySelector(".name").textContent, parts: bars(row) })),
      plots: [...section.querySelectorAll(".plot")].map((plot) => bars(plot)),
      tables: section.querySelectorAll("table").length,
    })),
    foreign: document.querySelectorAll("img, link, iframe, object, embed, audio, video, image, use, a").length,
    scripts: document.scripts.length,
    handlers: all.filter((it) => it.getAttributeNames().some((name) => name.startsWith("on"))).map(what),
    unnamed: [...document.querySelectorAll("svg")]
      .filter((it) => !it.closest("[aria-hidden]"))
      .filter((it) => it.getAttribute("role") !== "img" || !it.getAttribute("aria-label")).length,
    untitled: [...document.querySelectorAll("rect[data-n]")]
      .filter((it) => !it.parentElement.querySelector(":scope > title")?.textContent).length,
  }, "*");
})();
