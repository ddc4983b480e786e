// Elements, made and kept up to date without a framework.

/**
 * Makes an element.
 *
 * @param {string} name its tag, with classes behind dots: `button.quiet.small`
 * @param {Object} [properties] attributes by name; `on` is an object of listeners, `data` one of data attributes. What is
 *   null, undefined or false is left out, true is an attribute without a value.
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function make(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.classList.add(...classes);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (key === "data") Object.assign(element.dataset, value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Sets a text, unless it is that already: screen readers and selections are left in peace. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets an attribute, unless it is that already; null removes it. */
export function mark(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/**
 * Brings the children of a list in line with what is to be shown: each row is made once, moved only when its place has
 * changed, and removed when it is gone. Focus stays where it is, or goes to the view when its row is gone.
 *
 * @param {HTMLElement} list
 * @param {Map<string, HTMLElement>} rows those that there are, by key
 * @param {string[]} keys those that there should be, in order
 * @param {(key: string) => HTMLElement} build
 */
export function arrange(list, rows, keys, build) {
  const wanted = new Set(keys);
  let isLost = false;
  for (const [key, row] of rows) {
    if (wanted.has(key)) continue;
    isLost ||= row.contains(document.activeElement);
    row.remove();
    rows.delete(key);
  }
  if (isLost) document.getElementById("main").focus();
  let next = list.firstElementChild;
  for (const key of keys) {
    let row = rows.get(key);
    if (!row) rows.set(key, (row = build(key)));
    if (row === next) {
      next = next.nextElementSibling;
      continue;
    }
    const holder = row.contains(document.activeElement) ? document.activeElement : null;
    list.insertBefore(row, next);
    holder?.focus();
  }
}

/**
 * Empties a canvas and fits it to its place, sharp on any screen.
 *
 * @returns {{pen: CanvasRenderingContext2D, width: number, height: number}} what draws on it, in CSS pixels
 */
export function clean(canvas) {
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

/** A function that runs another once, however often it is called until the next frame. */
export function oncePerFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

/** A function that runs another at most every so many milliseconds: at once, and once more for what came meanwhile. */
export function atMostEvery(interval, work) {
  let timer = null;
  let isAsked = false;
  const run = () => {
    isAsked = false;
    timer = setTimeout(() => {
      timer = null;
      if (isAsked) run();
    }, interval);
    work();
  };
  return () => {
    isAsked = true;
    if (timer === null) run();
  };
}
