// Everything works without this file. It follows a run live, counts characters
// while one types, shows times in the reader's zone, and moves the focus to what
// a page has to say first.

const live = document.getElementById("live");

// Times: the server writes UTC.
function localTimes(root) {
  const lang = document.documentElement.lang; // in the reader's own variant of it: day or month first
  const variant = navigator.languages.find((l) => l.split("-")[0] === lang) ?? lang;
  const format = new Intl.DateTimeFormat(variant, { dateStyle: "medium", timeStyle: "short" });
  const days = new Intl.DateTimeFormat(variant, { dateStyle: "medium", timeZone: "UTC" });
  for (const t of root.querySelectorAll("time[datetime]")) {
    const at = new Date(t.dateTime);
    if (!Number.isNaN(at.valueOf())) t.textContent = (t.dateTime.includes("T") ? format : days).format(at);
  }
}

// A form whose answer takes a while says so, and is sent once.
function busyForm(form) {
  form.addEventListener("submit", (event) => {
    const button = form.querySelector("button");
    if (button.getAttribute("aria-disabled") === "true") {
      event.preventDefault();
      return;
    }
    button.setAttribute("aria-disabled", "true");
    button.textContent = form.dataset.busy;
    if (live) live.textContent = form.dataset.busy;
  });
}

// Counters: user-perceived characters, as the server counts them.
const graphemes = typeof Intl.Segmenter === "function" ? new Intl.Segmenter() : null;
const count = (text) => {
  text = text.trim();
  return graphemes ? [...graphemes.segment(text)].length : [...text].length;
};

function counter(hint) {
  const area = document.getElementById(hint.dataset.for);
  const text = hint.querySelector(".length-text");
  const meter = hint.querySelector("meter");
  const max = Number(area.dataset.max);
  const update = () => {
    const n = count(area.value);
    text.textContent = (n === 1 ? hint.dataset.singular : hint.dataset.plural).replace("{n}", n);
    if (meter) meter.value = n;
    hint.classList.toggle("over", max > 0 && n > max);
  };
  area.addEventListener("input", update);
  update();
}

// Lists with boxes: how many are ticked, and one button that ticks all or none.
function selection(form) {
  const boxes = [...form.querySelectorAll("input[type=checkbox]")];
  const buttons = form.querySelector(".many-buttons");
  if (!boxes.length || !buttons) return;
  const all = document.createElement("button");
  all.type = "button";
  all.className = "btn btn-default";
  const said = document.createElement("span");
  said.className = "muted";
  said.setAttribute("role", "status");
  const update = () => {
    const n = boxes.filter((b) => b.checked).length;
    all.textContent = n === boxes.length ? form.dataset.none : form.dataset.all;
    said.textContent = n === 0 ? "" : (n === 1 ? form.dataset.singular : form.dataset.plural).replace("{n}", n);
  };
  all.addEventListener("click", () => {
    const tick = boxes.some((b) => !b.checked);
    for (const b of boxes) b.checked = tick;
    update();
  });
  form.addEventListener("change", update);
  addEventListener("pageshow", update); // a browser that goes back ticks again what was ticked
  if (boxes.length > 1) buttons.append(all);
  buttons.append(said);
  update();
}

// A batch: looked at again while something happens.
function poll(section) {
  const timer = setInterval(async () => {
    const answer = await fetch(section.dataset.poll, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!answer?.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("batch");
    if (!fresh) return;
    const was = section.querySelector("#batch-state").textContent;
    const is = fresh.querySelector("#batch-state").textContent;
    if (was === is && fresh.dataset.poll) return;
    localTimes(fresh);
    const held = section.contains(document.activeElement);
    section.replaceChildren(...fresh.childNodes);
    if (held) document.getElementById("main").focus();
    document.title = page.title;
    if (live) live.textContent = is;
    if (!fresh.dataset.poll) {
      clearInterval(timer);
      document.querySelector(".docheader-buttons .end")?.remove();
    }
  }, 3000);
}

// A run: a message of the stream loads the page's state again; nothing else is in it.
function follow(run) {
  const showHint = () => document.getElementById("live-hint")?.removeAttribute("hidden");
  showHint();
  const source = new EventSource(run.dataset.events);
  let version = "";
  let polling = 0;
  const refresh = async () => {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.redirected && new URL(answer.url).pathname !== location.pathname) {
      source.close();
      location.assign(answer.url); // the review card, or the sign-in form
      return;
    }
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("run");
    const old = document.getElementById("run");
    if (!fresh || !old) return;
    const step = fresh.querySelector(".step-now")?.textContent ?? fresh.querySelector("#outcome p")?.textContent;
    localTimes(fresh);
    const held = old.contains(document.activeElement);
    old.replaceWith(document.adoptNode(fresh));
    showHint();
    if (held) document.getElementById("main").focus();
    if (step && step !== version) live.textContent = version = step;
    if (!fresh.dataset.events) {
      source.close();
      clearInterval(polling);
      document.querySelector(".docheader-buttons .end")?.remove();
    }
  };
  source.addEventListener("change", () => refresh().catch(() => {}));
  source.addEventListener("error", () => { // refused for good: look every few seconds instead
    if (source.readyState === EventSource.CLOSED && !polling && document.getElementById("run")?.dataset.events) {
      polling = setInterval(() => refresh().catch(() => {}), 5000);
    }
  });
  addEventListener("pagehide", () => source.close());
}

// A button copies a field; the field is selected too, for whoever has no clipboard.
function copier(button) {
  const field = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      live.textContent = button.dataset.done;
    } catch { /* the selection is there */ }
  });
}

localTimes(document);
document.querySelectorAll("[data-copy]").forEach(copier);
document.querySelectorAll(".length[data-for]").forEach(counter);
document.querySelectorAll("form[data-busy]").forEach(busyForm);
document.querySelectorAll("form[data-all]").forEach(selection);
document.querySelectorAll("[data-poll]").forEach(poll);
const run = document.getElementById("run");
if (run?.dataset.events) follow(run);
document.querySelector("main [autofocus]")?.focus();
