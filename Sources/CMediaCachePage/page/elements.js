// Functions that create and update elements.

/**
 * Creates an element.
 *
 * @param {string} name the tag and classes, separated by dots, such as `button.quiet.small`
 * @param {Object} [properties] the attributes by name; `on` contains event listeners, and `data` data attributes.
 *   Values of null, undefined and false are skipped; true sets an attribute without a value.
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

/** Sets the text if it differs, since setting an equal text would disturb selections and screen readers. */
export function updateText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets an attribute if its value differs. A value of null, undefined or false removes the attribute. */
export function updateAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/**
 * Updates the rows of a list. A row is built once per key, and removed if its key is gone. Rows move only if the order
 * changes. The focused element keeps the focus; if its row is removed, the focus moves to the view.
 *
 * @param {HTMLElement} list
 * @param {Map<string, HTMLElement>} rows the current rows by key, which are updated
 * @param {string[]} keys the new keys, in order
 * @param {(key: string) => HTMLElement} build
 */
export function arrange(list, rows, keys, build) {
  const kept = new Set(keys);
  let isLost = false;
  for (const [key, row] of rows) {
    if (kept.has(key)) continue;
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
 * Clears a canvas and fits its resolution to its size and the screen.
 *
 * @returns {{pen: CanvasRenderingContext2D, width: number, height: number}} a context and the size, in CSS pixels
 */
export function prepareCanvas(canvas) {
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

/** Returns a function that runs `work` once in the next frame, however often it is called until then. */
export function oncePerFrame(work) {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      work();
    });
  };
}

/**
 * Returns a function that runs `work` at most once per interval: immediately, and at the end of the interval if it was
 * called again.
 */
export function atMostEvery(interval, work) {
  let timer = null;
  let isPending = false;
  const run = () => {
    isPending = false;
    timer = setTimeout(() => {
      timer = null;
      if (isPending) run();
    }, interval);
    work();
  };
  return () => {
    isPending = true;
    if (timer === null) run();
  };
}
