// Durations, moments and round marks on the time axis. Times are milliseconds.

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

const AXIS_STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500,
  SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
  MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
  DAY, 2 * DAY, 5 * DAY, 10 * DAY, 20 * DAY, 50 * DAY, 100 * DAY,
];

const UNITS = [[DAY, "d"], [HOUR, "h"], [MINUTE, "m"], [SECOND, "s"]];

// "1d 2h", "1h30m", "4.25s": exact to the millisecond below ten seconds, else to `precision`.
function formatDuration(length, precision = SECOND) {
  if (length < 0) return "-" + formatDuration(-length, precision);
  if (length === 0) return "0s";
  if (length < SECOND) return `${+length.toFixed(3)}ms`;
  if (length < 10 * SECOND || precision < SECOND) return formatWithSeconds(length);
  let rest = Math.round(length / precision) * precision;
  const parts = [];
  for (const [size, letter] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(count + letter);
    rest -= count * size;
  }
  return parts.join("").replace(/d(?=\d)/, "d ");
}

function formatWithSeconds(length) {
  const whole = Math.floor(length / MINUTE) * MINUTE;
  const seconds = `${+((length - whole) / SECOND).toFixed(3)}s`;
  return whole > 0 ? formatDuration(whole) + seconds : seconds;
}

// Two units are enough for people: seconds do not matter in a task of hours.
function roughDuration(length) {
  if (Math.abs(length) >= DAY) return formatDuration(length, HOUR);
  return formatDuration(length, Math.abs(length) >= HOUR ? MINUTE : SECOND);
}

function formatDate(moment) {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return roughDuration(moment);
  return date.toISOString().replace("T", " ").replace(/\.\d+Z$/, "Z");
}

function axisStep(span, count) {
  const found = AXIS_STEPS.find((step) => span / step <= count);
  if (found) return found;
  let step = AXIS_STEPS[AXIS_STEPS.length - 1];
  while (span / step > count) step *= 2;
  return step;
}

// Round moments in [begin, end] counted from `origin`: [{at, label, date}]. With a wall clock,
// `date` is set on the first mark, which names the zone, and where the day changes.
function axisTicks(begin, end, count, origin, wallClock) {
  const step = axisStep(end - begin, count);
  const ticks = [];
  let day = "";
  for (let i = Math.ceil((begin - origin) / step); i * step + origin <= end; i++) {
    const at = i * step + origin;
    if (!wallClock) {
      ticks.push({at, label: formatDuration(i * step, Math.min(step, SECOND)), date: ""});
      continue;
    }
    const text = new Date(i * step).toISOString();
    const date = text.slice(0, 10);
    if (step >= DAY) {
      ticks.push({at, label: date, date: ""});
    } else {
      const length = step >= MINUTE ? 16 : step >= SECOND ? 19 : 23;
      ticks.push({at, label: text.slice(11, length), date: date === day ? "" : date});
    }
    day = date;
  }
  if (wallClock && ticks.length) ticks[0][ticks[0].date ? "date" : "label"] += " UTC";
  return ticks;
}
