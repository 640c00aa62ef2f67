// Pointing at a point or its row shows its card; a click keeps it; arrow keys go along the frontier.
// Points are counted from 1, as in the address: #point=7.

const charts = document.getElementById("charts");
const rows = [...document.querySelectorAll("#points tbody tr")];
const REACH = 40;  // pixels around a point within which it is meant

class FrontierPage {
  constructor(first) {
    this.first = first;
    this.pinned = first;
    this.shown = 0;
    document.body.classList.add("scripted");
    this.bindChart();
    this.bindTable();
    this.bindKeys();
    window.addEventListener("hashchange", () => this.followAddress());
    this.followAddress();
  }

  followAddress() {
    const found = /^#point=(\d+)$/.exec(location.hash);
    const wanted = found ? Number(found[1]) : this.first;
    this.pinned = wanted >= 1 && wanted <= rows.length ? wanted : this.first;
    this.show(this.pinned);
  }

  show(number) {
    if (number === this.shown) return;
    this.shown = number;
    for (const element of document.querySelectorAll("[data-point]")) {
      const own = Number(element.dataset.point) === number;
      element.classList.toggle("shown", own);
      // The tab key stops at one point and one row; the arrow keys do the rest.
      if (element.hasAttribute("tabindex")) element.tabIndex = own ? 0 : -1;
    }
  }

  pin(number) {
    this.pinned = number;
    this.show(number);
    history.replaceState(null, "", `#point=${number}`);
  }

  // The point of the chart on the screen that is nearest to the pointer, if it is near.
  pointNear(event) {
    let nearest = 0, least = REACH;
    for (const dot of charts.querySelectorAll(".point .dot")) {
      const box = dot.getBoundingClientRect();
      if (box.width === 0) continue;  // in a chart of another width
      const distance = Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
      if (distance >= least) continue;
      least = distance;
      nearest = Number(dot.parentNode.dataset.point);
    }
    return nearest;
  }

  bindChart() {
    charts.addEventListener("pointermove", (event) => this.show(this.pointNear(event) || this.pinned));
    charts.addEventListener("pointerleave", () => this.show(this.pinned));
    charts.addEventListener("click", (event) => {
      const number = this.pointNear(event);
      if (number) this.pin(number);
    });
    charts.addEventListener("focusin", (event) => {
      const point = event.target.closest(".point");
      if (point) this.show(Number(point.dataset.point));
    });
    charts.addEventListener("focusout", () => this.show(this.pinned));
  }

  bindTable() {
    for (const row of rows) {
      const number = Number(row.dataset.point);
      row.tabIndex = -1;
      row.addEventListener("pointerenter", () => this.show(number));
      row.addEventListener("pointerleave", () => this.show(this.pinned));
      row.addEventListener("click", () => this.pin(number));
    }
  }

  bindKeys() {
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const inside = event.target.closest && event.target.closest(".point, #points tr");
      const to = this.keyTarget(event.key, inside);
      if (to === null) return;
      event.preventDefault();
      this.pin(Math.min(Math.max(to, 1), rows.length));
      if (inside) this.moveFocus(inside);
    });
  }

  // Up and down scroll the page unless a point or a row has the focus.
  keyTarget(key, inside) {
    if (key === "Escape") return this.first;
    if (key === "ArrowLeft" || (inside && key === "ArrowUp")) return this.pinned - 1;
    if (key === "ArrowRight" || (inside && key === "ArrowDown")) return this.pinned + 1;
    if (inside && key === "Home") return 1;
    if (inside && key === "End") return rows.length;
    if (inside && (key === "Enter" || key === " ")) return Number(inside.dataset.point);
    return null;
  }

  moveFocus(from) {
    const siblings = from.parentNode.querySelectorAll(`[data-point="${this.pinned}"]`);
    if (siblings.length > 0) siblings[0].focus();
  }
}

if (charts) new FrontierPage(Number(charts.dataset.first));
