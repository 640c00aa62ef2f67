// The page around the chart: facts, legend, details, search, table, and how people move about.

const WHEEL_SPEED = 0.0018, BUTTON_ZOOM = 1.6, ARROW_PIXELS = 80, CLICK_PIXELS = 4;

const byId = (id) => document.getElementById(id);

// An element with text and children; nothing here ever parses markup.
function make(tag, text, ...children) {
  const element = document.createElement(tag);
  if (text !== undefined && text !== null) element.textContent = text;
  element.append(...children);
  return element;
}

function readData() {
  const data = JSON.parse(byId("data").textContent);
  // Moments beyond what a Date can hold are shown as durations.
  data.wallClock = data.wallClock && Math.abs(data.origin) + data.end < 8e15;
  return data;
}

class GanttPage {
  constructor(data) {
    this.data = data;
    this.chart = new GanttChart(byId("canvas"), data);
    this.found = [];
    this.position = -1;
    this.pointers = new Map();
    this.fillFacts();
    this.fillLegend();
    this.fillWorkflows();
    this.showDetails();
    this.bindButtons();
    this.bindPointer();
    this.bindKeys();
    this.bindWindow();
    this.followHash();
    this.viewChanged();
  }

  moment(time) {
    return this.data.wallClock ? formatDate(this.data.origin + time) : formatDuration(time - this.data.now);
  }

  fillFacts() {
    byId("facts").append(...this.data.facts.map((fact) => make("li", fact)));
    byId("canvas").setAttribute("aria-label",
      `Gantt chart of ${this.data.title}: ${this.data.facts.join(", ")}`);
  }

  fillLegend() {
    const entry = (name, fill, stroke, dashes = "none") => {
      const swatch = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      const set = (node, values) => Object.entries(values).forEach(([key, value]) => node.setAttribute(key, value));
      set(swatch, {width: 16, height: 12, "aria-hidden": "true"});
      set(box, {x: 1, y: 1, width: 14, height: 10, rx: 1, fill, stroke, "stroke-width": stroke === "none" ? 0 : 2, "stroke-dasharray": dashes});
      swatch.append(box);
      return make("li", null, swatch, make("span", name));
    };
    const legend = byId("legend");
    for (const group of this.data.groups) legend.append(entry(group.name || "(no name)", group.colour, "none"));
    if (this.data.reservations.length > 0) legend.append(entry("reserved by others", "var(--reserved)", "none"));
    if (this.data.lost.length > 0) legend.append(entry("cut short", "none", "var(--muted)", "3 2"));
    if (this.data.tasks.some((task) => task.critical)) legend.append(entry("critical chain", "none", "var(--critical)"));
    if (this.data.deadline !== null) legend.append(entry("deadline", "none", "var(--deadline)"));
    if (this.data.periods.length > 0) legend.append(entry("end of a period", "none", "var(--muted)", "2 3"));
  }

  fillWorkflows() {
    if (this.data.workflows.length < 2) return;
    const heads = ["Name", "Takes", "Stretch"].map((name) => make("th", name));
    const rows = this.data.workflows.flatMap((workflow) => {
      const numbers = make("tr", null, make("td", workflow.name), make("td", roughDuration(workflow.makespan)),
        make("td", workflow.stretch.toFixed(2)));
      const note = this.workflowNote(workflow);
      return note.textContent === "" ? [numbers] : [numbers, note];
    });
    byId("workflows").append(make("thead", null, make("tr", null, ...heads)), make("tbody", null, ...rows));
    byId("workflows-section").hidden = false;
  }

  // How long the workflow takes alone, what it asks for, and for whom it waits here.
  workflowNote(workflow) {
    const delays = workflow.delays.slice(0, 3).map((delay) => `${delay.by} ${roughDuration(delay.length)}`);
    if (workflow.reserved > 0) delays.push(`reservations ${roughDuration(workflow.reserved)}`);
    const notes = workflow.alone === null ? [] : [`alone ${roughDuration(workflow.alone)}`];
    if (workflow.weight !== 1) notes.push(`weight ${workflow.weight}`);
    if (workflow.ready !== null) notes.push(`ready at ${this.moment(workflow.ready)}`);
    if (delays.length > 0) notes.push(`waits for ${delays.join(", ")}`);
    const cell = make("td", notes.join("; "));
    cell.colSpan = 3;
    cell.className = "workflow-note";
    return make("tr", null, cell);
  }

  // Name and values of a task, a run that was cut short or a reservation, for tooltip and details.
  describe(item) {
    const isTask = item.id !== undefined;
    const length = formatDuration(item.end - item.start);
    const name = make("div", !isTask ? "Reserved by others" : item.lost ? `${item.id}, lost after ${length}` : item.id);
    name.className = "task-name";
    const list = make("dl");
    const add = (term, value) => list.append(make("dt", term), make("dd", value));
    if (isTask && this.data.workflows.length > 1) add("workflow", item.workflow);
    add("start", this.moment(item.start));
    add("end", this.moment(item.end));
    add("duration", length);
    add("processors", item.processors);
    add("cluster", this.data.clusters[item.cluster].name);
    const parts = [name, list];
    if (item.critical) {
      const mark = make("div", "on the critical chain");
      mark.className = "critical-mark";
      parts.push(mark);
    }
    return parts;
  }

  showDetails() {
    if (this.chart.pinned) return byId("details").replaceChildren(...this.describe(this.chart.pinned));
    const hint = make("p", "Point at a task for its details; click to keep them here.");
    hint.className = "hint";
    byId("details").replaceChildren(hint);
  }

  pin(item) {
    this.chart.pinned = item;
    this.showDetails();
    this.chart.redraw();
  }

  goTo(task) {
    this.pin(task);
    this.chart.reveal(task);
    this.viewChanged();
  }

  viewChanged() {
    const {begin, end} = this.chart.view;
    byId("range").textContent = this.chart.isWhole() ? "" :
      `${this.moment(Math.round(begin))} to ${this.moment(Math.round(end))}`;
  }

  zoom(factor, around) {
    this.chart.zoom(factor, around);
    this.viewChanged();
  }

  pan(pixels) {
    this.chart.pan(pixels);
    this.viewChanged();
  }

  fit() {
    this.chart.show(0, this.data.end);
    this.viewChanged();
  }

  stretchRows(factor) {
    this.chart.heightFactor = Math.min(Math.max(this.chart.heightFactor * factor, 0.5), 16);
    this.chart.resize();
  }

  toggleAllRows() {
    this.chart.allRows = !this.chart.allRows;
    byId("all-rows").setAttribute("aria-pressed", String(this.chart.allRows));
    this.chart.resize();
  }

  bindButtons() {
    byId("all-rows").hidden = !this.chart.hidesRows();
    const actions = {
      "zoom-in": () => this.zoom(BUTTON_ZOOM), "zoom-out": () => this.zoom(1 / BUTTON_ZOOM),
      "zoom-fit": () => this.fit(), "taller": () => this.stretchRows(1.5),
      "shorter": () => this.stretchRows(1 / 1.5), "all-rows": () => this.toggleAllRows(),
      "next": () => this.step(1), "previous": () => this.step(-1),
    };
    for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
    byId("search").addEventListener("input", () => this.search());
    byId("search").addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
    });
    byId("table-section").addEventListener("toggle", () => this.fillTable("start"), {once: true});
  }

  search() {
    const words = byId("search").value.trim().toLowerCase();
    const matches = (task) => task.id.toLowerCase().includes(words) ||
      (this.data.workflows.length > 1 && `${task.workflow}/${task.id}`.toLowerCase().includes(words));
    this.found = words ? this.data.tasks.filter(matches).sort((a, b) => a.start - b.start) : [];
    this.position = -1;
    this.chart.matches = words ? new Set([...this.found, ...this.data.lost.filter(matches)]) : null;
    byId("matches").textContent = words ? `${this.found.length} found` : "";
    this.chart.redraw();
  }

  step(direction) {
    const count = this.found.length;
    if (count === 0) return;
    this.position = this.position < 0 && direction < 0 ? count - 1 : (this.position + direction + count) % count;
    byId("matches").textContent = `${this.position + 1} of ${count}`;
    this.goTo(this.found[this.position]);
  }

  pointOf(event) {
    const box = byId("canvas").getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  bindPointer() {
    const canvas = byId("canvas");
    canvas.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
    canvas.addEventListener("pointerdown", (event) => this.pointerDown(event));
    canvas.addEventListener("pointermove", (event) => this.pointerMove(event));
    canvas.addEventListener("pointerup", (event) => this.pointerUp(event));
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => this.hover(null));
  }

  // Sideways or with shift: pan. Zooming out of the whole picture is left to the page as scrolling.
  wheel(event) {
    const unit = event.deltaMode === 1 ? 16 : 1;
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      return this.pan(sideways * unit);
    }
    if (event.deltaY > 0 && this.chart.isWhole() && !event.ctrlKey) return;
    event.preventDefault();
    const speed = WHEEL_SPEED * (event.ctrlKey ? 5 : 1);
    this.zoom(Math.exp(-event.deltaY * unit * speed), this.chart.timeAt(this.pointOf(event).x));
  }

  pointerDown(event) {
    if (event.button !== 0) return;
    const point = this.pointOf(event);
    this.pointers.set(event.pointerId, point);
    this.pressed = this.pointers.size === 1 ? point : null;
    if (event.isTrusted) byId("canvas").setPointerCapture(event.pointerId);
  }

  pointerMove(event) {
    const point = this.pointOf(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) return this.hover(this.chart.itemAt(point.x, point.y), point);
    const distance = () => {
      const xs = [...this.pointers.values()].map((p) => p.x);
      return Math.max(20, Math.abs(xs[0] - xs[1]));
    };
    const oldDistance = this.pointers.size === 2 ? distance() : 0;
    this.pointers.set(event.pointerId, point);
    if (this.pressed && Math.hypot(point.x - this.pressed.x, point.y - this.pressed.y) > CLICK_PIXELS) this.pressed = null;
    if (this.pointers.size === 2) return this.zoom(distance() / oldDistance, this.chart.timeAt(point.x));
    this.hover(null);
    byId("canvas").classList.add("dragging");
    this.pan(before.x - point.x);
  }

  pointerUp(event) {
    this.pointers.delete(event.pointerId);
    byId("canvas").classList.remove("dragging");
    if (!this.pressed) return;
    const item = this.chart.itemAt(this.pressed.x, this.pressed.y);
    this.pressed = null;
    this.pin(item === this.chart.pinned ? null : item);
  }

  hover(item, point) {
    const tooltip = byId("tooltip");
    byId("canvas").classList.toggle("pointing", item !== null);
    if (item !== this.chart.hovered) {
      this.chart.hovered = item;
      this.chart.redraw();
      if (item) tooltip.replaceChildren(...this.describe(item));
    }
    tooltip.hidden = item === null;
    if (item) this.placeTooltip(tooltip, point);
  }

  placeTooltip(tooltip, point) {
    const {offsetWidth, offsetHeight} = tooltip;
    const left = point.x + 16 + offsetWidth > this.chart.width ? point.x - offsetWidth - 12 : point.x + 16;
    const top = Math.min(point.y + 14, this.chart.height - offsetHeight);
    tooltip.style.left = Math.max(0, left) + "px";
    tooltip.style.top = Math.max(0, top) + "px";
  }

  bindKeys() {
    const keys = {
      "+": () => this.zoom(BUTTON_ZOOM), "=": () => this.zoom(BUTTON_ZOOM),
      "-": () => this.zoom(1 / BUTTON_ZOOM), "0": () => this.fit(),
      "ArrowLeft": () => this.pan(-ARROW_PIXELS), "ArrowRight": () => this.pan(ARROW_PIXELS),
      "[": () => this.stretchRows(1 / 1.5), "]": () => this.stretchRows(1.5),
      "/": () => byId("search").focus(), "Escape": () => this.pin(null),
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
      if (!Object.hasOwn(keys, event.key)) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  bindWindow() {
    new ResizeObserver(() => {
      if (byId("canvas").clientWidth !== this.chart.width) this.chart.resize();
    }).observe(byId("canvas"));
    window.addEventListener("resize", () => this.chart.resize());
    window.addEventListener("hashchange", () => this.followHash());
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.chart.readColours();
      this.chart.redraw();
    });
  }

  // Links into the page: #task=NAME pins a task, #view=FROM,TO shows these seconds after now.
  followHash() {
    const wanted = new URLSearchParams(window.location.hash.slice(1));
    const view = (wanted.get("view") || "").split(",").map(Number);
    if (view.length === 2 && view.every(Number.isFinite)) {
      this.chart.show(view[0] * SECOND + this.data.now, view[1] * SECOND + this.data.now);
      this.viewChanged();
    }
    const task = this.data.tasks.find((candidate) => candidate.id === wanted.get("task"));
    if (task) this.goTo(task);
  }

  // Built when it is first opened: ten thousand rows take a moment.
  fillTable(key) {
    const columns = [
      ["Task", "id", (task) => task.id], ["Workflow", "workflow", (task) => task.workflow],
      ["Cluster", "cluster", (task) => this.data.clusters[task.cluster].name],
      ["Processors", "processors", (task) => task.processors],
      ["Start", "start", (task) => this.moment(task.start)], ["End", "end", (task) => this.moment(task.end)],
      ["Duration", "length", (task) => formatDuration(task.end - task.start)],
      ["Critical", "critical", (task) => (task.critical ? "yes" : "")],
    ];
    const value = (task) => (key === "length" ? task.end - task.start : task[key]);
    const compare = (a, b) => (typeof value(a) === "string" ?
      value(a).localeCompare(value(b), undefined, {numeric: true}) : value(a) - value(b));
    const direction = key === "critical" ? -1 : 1;
    const heads = columns.map(([title, field]) => {
      const button = make("button", title + (field === key ? " ↓" : ""));
      button.type = "button";
      button.addEventListener("click", () => this.fillTable(field));
      const head = make("th", null, button);
      if (field === key) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      return head;
    });
    const rows = [...this.data.tasks].sort((a, b) => direction * compare(a, b)).map((task) => {
      const button = make("button", task.id);
      button.type = "button";
      button.addEventListener("click", () => this.goTo(task));
      const cells = columns.slice(1).map(([, , text]) => make("td", text(task)));
      return make("tr", null, make("td", null, button), ...cells);
    });
    byId("table").replaceChildren(make("thead", null, make("tr", null, ...heads)), make("tbody", null, ...rows));
  }
}

new GanttPage(readData());
