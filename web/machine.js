// Says the values of the moment under the pointer; the arrow keys go from moment to moment.

const charts = document.getElementById("charts");
const readout = document.getElementById("readout");
const moments = JSON.parse(document.getElementById("moments").textContent);
const steps = Number(charts.dataset.steps);  // the last one may be a part of a step
const HELP = "Point at the chart to read its values; the arrow keys go from moment to moment.";
let shown = -1;

function show(number) {
  shown = number;
  charts.classList.toggle("pointing", number >= 0);
  readout.textContent = number >= 0 ? moments[number] : HELP;
  if (number < 0) return;
  const middle = (number + Math.min(number + 1, steps)) / 2 / steps;
  for (const svg of charts.querySelectorAll("svg")) {
    const left = Number(svg.dataset.left), right = Number(svg.dataset.right);
    svg.querySelector(".cursor").setAttribute("transform", `translate(${left + (right - left) * middle})`);
  }
}

// The moment under the pointer, or -1 beside the plots.
function momentAt(event) {
  const svg = event.target.closest && event.target.closest("svg");
  if (!svg) return -1;
  const box = svg.getBoundingClientRect();
  const x = (event.clientX - box.left) / box.width * Number(svg.dataset.width);
  const left = Number(svg.dataset.left), right = Number(svg.dataset.right);
  const number = Math.floor((x - left) / (right - left) * steps);
  return x >= left && number < moments.length ? number : -1;
}

function keyTarget(key) {
  if (key === "ArrowLeft") return Math.max(shown - 1, 0);
  if (key === "ArrowRight") return Math.min(shown + 1, moments.length - 1);
  if (key === "Home") return 0;
  if (key === "End") return moments.length - 1;
  if (key === "Escape") return -1;
  return null;
}

charts.addEventListener("pointermove", (event) => show(momentAt(event)));
charts.addEventListener("pointerleave", () => show(-1));
charts.addEventListener("keydown", (event) => {
  const to = keyTarget(event.key);
  if (to === null || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  show(to);
});
show(-1);
