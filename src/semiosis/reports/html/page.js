(() => {
  "use strict";
  const one = (id) => document.getElementById(id);
  const nodesOf = (element) => (element.dataset.node || "").split(" ").filter(Boolean);
  const everyone = [...document.querySelectorAll("[data-node]")];
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const peek = one("peek");
  let pinned = null;

  const seen = (element) => {
    if (!element) return false;
    const box = element.getBoundingClientRect();
    const height = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
    return height >= Math.min(box.height, innerHeight) * 0.6;
  };

  const show = (keys, from) => {
    for (const element of everyone) {
      element.classList.toggle("lit", nodesOf(element).some((key) => keys.includes(key)));
    }
    for (const hang of document.querySelectorAll("[data-hang]")) {
      hang.classList.toggle("dim", keys.some((key) => /^contrast-/.test(key) || key.startsWith(hang.dataset.hang + "-")));
    }
    glance(keys[0], from);
  };

  // A citation far below the pictures would light up a box nobody sees, so a small copy comes to the corner.
  const glance = (key, from) => {
    const spot = key && document.querySelector(`[data-box="${key}"], .span[data-node~="${key}"]`);
    const hang = spot && spot.closest("[data-hang], .prompt");
    if (!hang || seen(hang) || innerWidth < 700) {
      peek.hidden = true;
      return;
    }
    const place = from.getBoundingClientRect();
    peek.classList.toggle("aside", place.left + place.width / 2 > innerWidth / 2);
    if (peek.dataset.key !== key) {
      const copy = hang.cloneNode(true);
      for (const element of copy.querySelectorAll("[id]")) element.removeAttribute("id");
      for (const link of copy.querySelectorAll("a")) link.removeAttribute("href");
      copy.removeAttribute("data-hang");
      peek.replaceChildren(copy);
      peek.dataset.key = key;
    }
    peek.hidden = false;
  };

  const light = (element) => {
    const from = element || pinned;
    show(from ? nodesOf(from) : [], from);
  };
  const pointer = (event) => event.target.closest?.("[data-node]:not([data-hang]):not(.asked)");

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "touch") light(pointer(event));
  });
  document.addEventListener("focusin", (event) => light(pointer(event)));
  document.addEventListener("focusout", (event) => {
    if (!event.relatedTarget) light(null);
  });
  document.documentElement.addEventListener("pointerleave", () => light(null));

  const pin = (link) => {
    for (const other of document.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
    pinned = link;
    link?.setAttribute("aria-current", "true");
    light(link);
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-node]");
    if (!link) {
      if (!event.target.closest?.("[data-node]")) pin(null);
      return;
    }
    event.preventDefault();
    if (pinned === link) return pin(null);
    pin(link);
    const target = one(link.getAttribute("href").slice(1));
    if (target && !seen(target)) {
      target.scrollIntoView({ behavior: calm.matches ? "auto" : "smooth", block: "center" });
    }
    return undefined;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && pinned) pin(null);
  });
  addEventListener("beforeprint", () => pin(null));
  document.documentElement.classList.add("live");
})();
