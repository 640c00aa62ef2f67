// The drawing: panels of clusters on one canvas, a visible span of time, and what lies under a point.
// It knows nothing of the page around it.

const CHART_LEFT = 56, CHART_RIGHT = 16, CHART_TOP = 40, CHART_BOTTOM = 30;
const PANEL_TITLE = 24, PANEL_GAP = 10;
const MIN_PANEL = 110, MAX_CHART = 12000;
const OUTLINE_SIDE = 4;   // thinner rectangles would be all outline
const HIT_SLACK = 2;      // pixels around thin rectangles that still count as a hit
const LABEL_HEIGHT = 12;
const LOST_ALPHA = 0.35;  // of runs that were cut short
const LABEL_FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const NAME_FONT = "600 12px " + LABEL_FONT.slice(5);
const SHORTEST_VIEW = 10;  // milliseconds

// As in the still picture: a quarter, or a round step, for three to six marks.
function processorStep(processors) {
  if (processors >= 8 && processors % 4 === 0) return processors / 4;
  let step = 1;
  for (let i = 0; processors / step >= 6; i++) step = [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3);
  return step;
}

class GanttChart {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.data = data;
    this.view = {begin: 0, end: data.end};
    this.heightFactor = 1;
    this.allRows = false;  // whether rows without tasks of ours are shown as well
    this.hovered = null;
    this.pinned = null;
    this.matches = null;  // a Set of tasks and lost runs while a search is on
    this.letterWidths = new Map();
    this.frame = 0;
    this.readColours();
    this.resize();
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue("--" + name).trim();
    this.colours = {
      page: read("page"), plot: read("plot"), text: read("text"), muted: read("muted"),
      line: read("line"), grid: read("grid"), reserved: read("reserved"),
      reservedLine: read("reserved-line"), taskLine: read("task-line"),
      critical: read("critical"), accent: read("accent"), deadline: read("deadline"),
      over: read("over"),
    };
    this.dim = Number(read("dim"));
  }

  // Fits the canvas to its box and the panels to the window; call it when either changes.
  resize() {
    const {clusters} = this.data;
    const available = Math.max(300, window.innerHeight - 300) / Math.max(1, clusters.length);
    let top = CHART_TOP;
    this.panels = clusters.map((cluster) => {
      const firstRow = this.allRows ? 0 : cluster.firstShown;
      const wanted = Math.max((cluster.rows - firstRow) * 24, MIN_PANEL);
      const natural = Math.min(wanted, Math.max(available, MIN_PANEL));
      const height = Math.min(natural * this.heightFactor, MAX_CHART / clusters.length);
      const panel = {cluster, firstRow, top: top + PANEL_TITLE, height};
      top += PANEL_TITLE + height + PANEL_GAP;
      return panel;
    });
    this.width = this.canvas.clientWidth;
    this.height = top + CHART_BOTTOM;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.style.height = this.height + "px";
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.plotWidth = Math.max(1, this.width - CHART_LEFT - CHART_RIGHT);
    this.draw();
  }

  xOf(time) {
    return CHART_LEFT + (time - this.view.begin) / (this.view.end - this.view.begin) * this.plotWidth;
  }

  timeAt(x) {
    return this.view.begin + (x - CHART_LEFT) / this.plotWidth * (this.view.end - this.view.begin);
  }

  yOf(panel, row) {
    const above = Math.max(row - panel.firstRow, 0);
    return panel.top + panel.height * (1 - above / (panel.cluster.rows - panel.firstRow));
  }

  // Shows [begin, end) as far as the plan reaches; the length is kept when an edge is in the way.
  show(begin, end) {
    const span = Math.min(Math.max(end - begin, SHORTEST_VIEW), this.data.end);
    const from = Math.min(Math.max(begin, 0), this.data.end - span);
    this.view = {begin: from, end: from + span};
    this.redraw();
  }

  // Zooms by a factor around a moment, which stays where it is on the screen.
  zoom(factor, around = (this.view.begin + this.view.end) / 2) {
    const {begin, end} = this.view;
    this.show(around - (around - begin) / factor, around + (end - around) / factor);
  }

  pan(pixels) {
    const shift = pixels * (this.view.end - this.view.begin) / this.plotWidth;
    this.show(this.view.begin + shift, this.view.end + shift);
  }

  isWhole() {
    return this.view.begin <= 0 && this.view.end >= this.data.end;
  }

  // Draws before the next frame, once, however often it is called.
  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const {context, colours} = this;
    context.fillStyle = colours.page;
    context.fillRect(0, 0, this.width, this.height);
    const {wallClock, origin, now} = this.data;
    const count = Math.max(2, Math.floor(this.plotWidth / 95));
    this.ticks = axisTicks(this.view.begin, this.view.end, count, wallClock ? -origin : now, wallClock);
    this.panels.forEach((panel, position) => this.drawPanel(panel, position));
    this.drawAxis();
  }

  drawPanel(panel, position) {
    const {context} = this;
    this.drawBackground(panel);
    context.save();
    context.beginPath();
    context.rect(CHART_LEFT, panel.top - 1, this.plotWidth, panel.height + 2);
    context.clip();
    const here = (item) => item.cluster === position &&
        item.end >= this.view.begin && item.start <= this.view.end;
    const tasks = this.data.tasks.filter(here);
    const lost = this.data.lost.filter(here);
    for (const reservation of this.data.reservations.filter(here)) this.drawReservation(panel, reservation);
    for (const task of [...lost, ...tasks]) this.drawTask(panel, task);
    for (const task of tasks) if (task.critical) this.outline(panel, task, this.colours.critical, 2);
    for (const task of [...lost, ...tasks]) this.drawLabel(panel, task);
    for (const item of [this.hovered, this.pinned]) {
      if (item && here(item)) this.outline(panel, item, this.colours.accent, item === this.pinned ? 3 : 2);
    }
    this.drawMoments(panel);
    context.restore();
    this.drawFrame(panel);
  }

  drawBackground(panel) {
    const {context, colours} = this;
    const {cluster} = panel;
    context.fillStyle = colours.plot;
    context.fillRect(CHART_LEFT, panel.top, this.plotWidth, panel.height);
    const limit = this.yOf(panel, Math.max(0, cluster.processors));
    context.fillStyle = colours.over;
    context.fillRect(CHART_LEFT, panel.top, this.plotWidth, limit - panel.top);
    context.lineWidth = 1;
    if (limit > panel.top) {
      context.strokeStyle = colours.critical;
      this.line(CHART_LEFT, limit, CHART_LEFT + this.plotWidth, limit);
    }
    context.strokeStyle = colours.grid;
    context.fillStyle = colours.muted;
    context.font = LABEL_FONT;
    context.textAlign = "right";
    const step = processorStep(cluster.processors - panel.firstRow);
    for (let row = Math.ceil(panel.firstRow / step) * step; row <= cluster.processors; row += step) {
      const y = Math.round(this.yOf(panel, row)) + 0.5;
      this.line(CHART_LEFT - 4, y, CHART_LEFT + this.plotWidth, y);
      context.fillText(String(row), CHART_LEFT - 8, y + 4);
    }
    for (const tick of this.ticks) {
      const x = Math.round(this.xOf(tick.at)) + 0.5;
      this.line(x, panel.top, x, panel.top + panel.height);
    }
  }

  drawFrame(panel) {
    const {context, colours} = this;
    const {cluster} = panel;
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    context.strokeRect(CHART_LEFT + 0.5, Math.round(panel.top) + 0.5, this.plotWidth - 1, Math.round(panel.height));
    context.textAlign = "left";
    context.fillStyle = colours.text;
    context.font = NAME_FONT;
    const name = this.shorten(cluster.name, this.plotWidth / 2);
    context.fillText(name, CHART_LEFT, panel.top - 8);
    const after = CHART_LEFT + context.measureText(name).width + 10;
    context.font = LABEL_FONT;
    context.fillStyle = colours.muted;
    const size = panel.firstRow === cluster.firstShown ? cluster.size : `${cluster.processors} processors`;
    context.fillText(size, after, panel.top - 8);
    if (cluster.rows > cluster.processors) {
      context.fillStyle = colours.critical;
      context.fillText("over capacity", after + context.measureText(size).width + 10, panel.top - 8);
    }
    this.drawDeadlineName(panel);
  }

  drawDeadlineName(panel) {
    const x = this.xOf(this.data.deadline ?? -1);
    if (this.data.deadline === null || x < CHART_LEFT || x > CHART_LEFT + this.plotWidth + 1) return;
    const {context} = this;
    context.fillStyle = this.colours.deadline;
    context.textAlign = x > this.width - CHART_RIGHT - 24 ? "right" : "center";
    context.fillText("deadline", x, panel.top - 8);
  }

  drawAxis() {
    const {context, colours} = this;
    context.font = LABEL_FONT;
    context.fillStyle = colours.muted;
    for (const tick of this.ticks) {
      const x = this.xOf(tick.at);
      context.textAlign = x > this.width - CHART_RIGHT - 24 ? "right" : x < CHART_LEFT + 8 ? "left" : "center";
      for (const y of [CHART_TOP - 6, this.height - CHART_BOTTOM + 8]) {
        context.fillText(tick.label, x, y);
        if (tick.date) context.fillText(tick.date, x, y < this.height / 2 ? y - 14 : y + 14);
      }
    }
  }

  drawMoments(panel) {
    const {context, colours, data} = this;
    const bottom = panel.top + panel.height;
    context.lineWidth = 1.5;
    context.strokeStyle = colours.text;
    this.line(this.xOf(data.now), panel.top, this.xOf(data.now), bottom);
    this.drawPeriods(panel);
    if (data.deadline === null) return;
    const x = this.xOf(data.deadline);
    context.strokeStyle = colours.deadline;
    context.setLineDash([5, 3]);
    this.line(x - 1, panel.top, x - 1, bottom);
    context.setLineDash([]);
  }

  // The ends of the periods in which workflows own processors, each with its number.
  drawPeriods(panel) {
    const {context, colours} = this;
    context.lineWidth = 1;
    context.font = LABEL_FONT;
    context.textAlign = "right";
    this.data.periods.forEach((end, position) => {
      const x = Math.round(this.xOf(end)) - 0.5;
      context.strokeStyle = context.fillStyle = colours.muted;
      context.setLineDash([2, 3]);
      this.line(x, panel.top, x, panel.top + panel.height);
      context.setLineDash([]);
      context.fillText(String(position + 1), x - 3, panel.top + 12);
    });
  }

  line(x1, y1, x2, y2) {
    this.context.beginPath();
    this.context.moveTo(x1, y1);
    this.context.lineTo(x2, y2);
    this.context.stroke();
  }

  boxOf(panel, item, [row, rows]) {
    const x = Math.max(this.xOf(item.start), CHART_LEFT - 4);
    const right = Math.min(this.xOf(item.end), CHART_LEFT + this.plotWidth + 4);
    const y = this.yOf(panel, row + rows);
    return {x, y, width: Math.max(right - x, 1), height: Math.max(this.yOf(panel, row) - y, 1)};
  }

  // The rectangles of an item, without those in rows that are not shown.
  boxesOf(panel, item) {
    return item.blocks.filter(([row, rows]) => row + rows > panel.firstRow)
      .map((block) => this.boxOf(panel, item, block));
  }

  drawReservation(panel, reservation) {
    const {context, colours} = this;
    for (const box of this.boxesOf(panel, reservation)) {
      context.fillStyle = colours.reserved;
      context.fillRect(box.x, box.y, box.width, box.height);
      if (Math.min(box.width, box.height) < OUTLINE_SIDE) continue;
      context.strokeStyle = colours.reservedLine;
      context.lineWidth = 1;
      context.strokeRect(box.x, box.y, box.width, box.height);
    }
  }

  // Faded and dashed when it is a run that was cut short.
  drawTask(panel, task) {
    const {context, colours} = this;
    const alpha = this.matches && !this.matches.has(task) ? this.dim : 1;
    context.setLineDash(task.lost ? [4, 2] : []);
    for (const box of this.boxesOf(panel, task)) {
      context.globalAlpha = task.lost ? alpha * LOST_ALPHA : alpha;
      context.fillStyle = task.colour;
      context.fillRect(box.x, box.y, box.width, box.height);
      context.globalAlpha = alpha;
      if (Math.min(box.width, box.height) < OUTLINE_SIDE) continue;
      context.strokeStyle = task.lost ? colours.muted : colours.taskLine;
      context.lineWidth = 1;
      context.strokeRect(box.x, box.y, box.width, box.height);
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  // Inside the rectangle, so that neighbours do not cover it; thinner where there is little room.
  outline(panel, item, colour, width) {
    const {context} = this;
    context.globalAlpha = this.matches && item.id !== undefined && !this.matches.has(item) ? this.dim : 1;
    context.strokeStyle = colour;
    for (const box of this.boxesOf(panel, item)) {
      const thick = Math.min(width, Math.max(1, Math.min(box.width, box.height) / 3));
      context.lineWidth = thick;
      context.strokeRect(box.x + thick / 2, box.y + thick / 2,
                         Math.max(box.width - thick, 0), Math.max(box.height - thick, 0));
    }
    context.globalAlpha = 1;
  }

  // On the tallest block, if the name or a telling part of it fits.
  drawLabel(panel, task) {
    if (task.blocks.length === 0 || (this.matches && !this.matches.has(task))) return;
    const tallest = task.blocks.reduce((best, block) => (block[1] > best[1] ? block : best));
    const box = this.boxOf(panel, task, tallest);
    if (box.height < LABEL_HEIGHT || box.width < 14) return;
    const {context} = this;
    context.font = LABEL_FONT;
    const text = this.shorten(task.lost ? `${task.id} (lost)` : task.id, box.width - 5);
    if (!text) return;
    context.fillStyle = task.lost ? this.colours.text : "#1b2026";  // tasks are light in both colour schemes
    context.textAlign = "center";
    context.fillText(text, box.x + box.width / 2, box.y + box.height / 2 + 4);
  }

  // The text, a beginning of at least three letters with an ellipsis, or nothing.
  shorten(text, width) {
    const key = this.context.font + text;
    if (!this.letterWidths.has(key)) this.letterWidths.set(key, this.context.measureText(text).width);
    const full = this.letterWidths.get(key);
    if (full <= width) return text;
    const letters = Math.floor([...text].length * width / full) - 1;
    return letters >= 3 ? [...text].slice(0, letters).join("") + "…" : "";
  }

  // The task or reservation at a point of the canvas: the one that covers it, else a thin one near.
  itemAt(x, y) {
    const position = this.panels.findIndex((panel) => y >= panel.top && y <= panel.top + panel.height);
    if (position < 0 || x < CHART_LEFT || x > CHART_LEFT + this.plotWidth) return null;
    const panel = this.panels[position];
    for (const slack of [0, HIT_SLACK]) {
      const covers = (item) => item.cluster === position && this.boxesOf(panel, item).some((box) =>
        x >= box.x - slack && x < box.x + box.width + slack &&
        y >= box.y - slack && y < box.y + box.height + slack);
      const found = [this.data.tasks, this.data.lost, this.data.reservations]
        .map((items) => items.find(covers)).find((item) => item);
      if (found) return found;
    }
    return null;
  }

  hidesRows() {
    return this.data.clusters.some((cluster) => cluster.firstShown > 0);
  }

  // Moves the view so that the task is in it, with some room around it.
  reveal(task) {
    const span = this.view.end - this.view.begin;
    if (task.start >= this.view.begin && task.end <= this.view.end) return this.redraw();
    const length = Math.max(span, (task.end - task.start) * 1.2);
    const middle = (task.start + task.end) / 2;
    this.show(middle - length / 2, middle + length / 2);
  }
}
