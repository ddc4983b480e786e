// Reordering of a list, by dragging the handle of a row or pressing the arrow keys on it.

/**
 * Lets the user move the rows of a list.
 *
 * @param {HTMLElement} list the list of rows, which have a `data-id` and a handle `[data-handle]`
 * @param {AbortSignal} signal stops it when aborted
 * @param {(ids: string[], moved: string) => void} done called with the new order and the ID of the moved row
 * @param {() => void} dropped called at the end of each drag
 */
export function startReordering(list, signal, done, dropped) {
  const ids = () => [...list.children].map((row) => row.dataset.id);

  list.addEventListener("keydown", (event) => {
    const handle = event.target.closest("[data-handle]");
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!handle || !step) return;
    event.preventDefault();
    const row = handle.closest("[data-id]");
    const order = ids();
    const from = order.indexOf(row.dataset.id);
    const to = from + step;
    if (to < 0 || to >= order.length) return;
    order.splice(to, 0, ...order.splice(from, 1));
    applyOrder(list, order);
    handle.focus();
    done(order, row.dataset.id);
  }, { signal });

  list.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest("[data-handle]");
    if (!handle || event.button !== 0) return;
    event.preventDefault();
    handle.focus();
    drag(handle);
  }, { signal });

  function drag(handle) {
    const row = handle.closest("[data-id]");
    const before = ids().join();
    row.classList.add("dragged");
    const move = (event) => {
      const other = [...list.children].find((one) => {
        const box = one.getBoundingClientRect();
        return one !== row && event.clientY >= box.top && event.clientY <= box.bottom;
      });
      if (!other) return;
      const box = other.getBoundingClientRect();
      const isBelow = event.clientY > box.top + box.height / 2;
      if ((isBelow ? other.nextElementSibling : other) === row) return;
      list.insertBefore(row, isBelow ? other.nextElementSibling : other);
    };
    const end = (event) => {
      drags.abort();
      row.classList.remove("dragged");
      dropped();
      if (event.type === "pointercancel") return applyOrder(list, before.split(","));
      handle.focus();
      if (ids().join() !== before) done(ids(), row.dataset.id);
    };
    // The document has the listeners, because moving a row releases the row's pointer capture.
    const drags = new AbortController();
    for (const [name, listener] of [["pointermove", move], ["pointerup", end], ["pointercancel", end]]) {
      document.addEventListener(name, listener, { signal: drags.signal });
    }
  }
}

function applyOrder(list, order) {
  const rows = new Map([...list.children].map((row) => [row.dataset.id, row]));
  for (const id of order) if (rows.has(id)) list.append(rows.get(id));
}
