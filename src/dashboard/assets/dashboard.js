/* global AbortController, addEventListener, atob, Blob, clearTimeout, document, DOMParser, fetch, FormData, history, IDBKeyRange, indexedDB, location, navigator, Option, setTimeout, TextDecoder, URL, URLSearchParams */

// Adds buttons that copy, a box that selects all links, a list that is filtered while the user types, forms that a double
// click sends only once, and tables of any length.
// Everything else works without this script.

const root = document.querySelector('.links-dashboard');

/** The text to copy: the button has it, or the id of the line that does. A hidden key is copied too. */
function textFor(button) {
  if (button.dataset.copy) return button.dataset.copy;
  const line = document.getElementById(button.dataset.copyFrom).cloneNode(true);
  for (const mask of line.querySelectorAll('.links-mask')) mask.remove();
  return line.textContent.trim();
}

async function copy(button) {
  await navigator.clipboard.writeText(textFor(button));
  const hasPicture = button.querySelector('svg') !== null;
  button.dataset.label ??= button.textContent;
  if (hasPicture) button.classList.add('links-copied');
  else button.textContent = button.dataset.done;
  say(button.dataset.done);
  setTimeout(() => {
    if (hasPicture) button.classList.remove('links-copied');
    else button.textContent = button.dataset.label;
    say('');
  }, 1500);
}

/** Announces a text to screen readers. */
function say(text) {
  let place = root.querySelector('.links-said');
  if (!place) {
    place = document.createElement('div');
    place.className = 'links-said links-unseen';
    place.setAttribute('aria-live', 'polite');
    root.append(place);
  }
  place.textContent = text;
}

if (navigator.clipboard) {
  root.classList.add('links-can-copy');
  root.addEventListener('click', (event) => {
    const button = event.target.closest('.links-copy');
    if (button) void copy(button);
  });
}

root.classList.add('links-can-select-all');

function showNumber() {
  const number = root.querySelector('.links-bar-number');
  if (number) number.textContent = `: ${root.querySelectorAll('.links-select input:checked').length}`;
}

showNumber();
root.addEventListener('change', ({target}) => {
  const all = root.querySelector('.links-select-all input');
  const boxes = Array.from(root.querySelectorAll('.links-select input'));
  if (target === all) {
    for (const box of boxes) box.checked = all.checked;
  } else if (all && boxes.includes(target)) {
    all.checked = boxes.every((box) => box.checked);
  }
  showNumber();
});

/** When each posted form was sent. */
const sent = new Map();

// A second click would create a second link, or show an error although the first one has succeeded.
root.addEventListener('submit', (event) => {
  if (event.target.method !== 'post') return;
  if (event.timeStamp - (sent.get(event.target) ?? -Infinity) < 5000) event.preventDefault();
  else sent.set(event.target, event.timeStamp);
});
// The browser may show the same page again when the user goes back.
addEventListener('pageshow', () => sent.clear());

const filter = root.querySelector('.links-filter');
let pending = new AbortController();
let pause;

/** Fetches the page of the filter, and replaces the list and the figures by its own. */
async function search() {
  pending.abort();
  pending = new AbortController();
  const values = Array.from(new FormData(filter), ([name, value]) => [name, value.trim()]);
  const query = new URLSearchParams(values.filter(([, value]) => value !== '')).toString();
  const address = query === '' ? './' : `./?${query}`;
  const answer = await fetch(address, {signal: pending.signal});
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const found = page.querySelector('#links-found');
  // The user is logged out or the store is unavailable: load the page that says so.
  if (!found) return filter.submit();
  document.querySelector('#links-found').replaceWith(found);
  showNumber();
  const figures = document.querySelector('#links-overview');
  const others = page.querySelector('#links-overview');
  const isOpen = figures.querySelector('details')?.open;
  others.querySelector('details')?.toggleAttribute('open', isOpen ?? false);
  figures.replaceWith(others);
  say(found.querySelector('.links-count span, .links-empty strong').textContent.trim());
  history.replaceState(null, '', address);
}

/** The tags of the account with their numbers of links, once a field for tags was used. */
let knownTags;

async function readTags() {
  const answer = await fetch('./tags');
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  return Array.from(page.querySelectorAll('#links-all-tags a'), ({children: [tag, links]}) => {
    return [tag.textContent, links.textContent];
  });
}

/** Suggests all tags of the account. In a field for several, it suggests the last one behind those that are there. */
async function suggestTags(input) {
  knownTags ??= readTags();
  const tags = await knownTags;
  if (tags.length === 0) return;
  const before = input.name === 'tags' ? /^(?:.*,\s*)?/.exec(input.value)[0] : '';
  const options = tags.map(([tag, links]) => new Option(links, before + tag));
  document.querySelector('#links-known-tags').replaceChildren(...options);
}

for (const type of ['focusin', 'input']) {
  root.addEventListener(type, ({target}) => {
    if (target.getAttribute('list') === 'links-known-tags') void suggestTags(target).catch(() => undefined);
  });
}

filter?.addEventListener('input', () => {
  clearTimeout(pause);
  pause = setTimeout(() => {
    search().catch((error) => {
      if (error.name !== 'AbortError') filter.submit();
    });
  }, 200);
});

/** In bytes. The server takes little more in one form. */
const maxFile = 1_000_000;

/** How many characters of a table are sent at once. */
const maxChunk = 60_000;

/** The text of a file behind the part that the page shows. */
let waiting = '';

/** Uses the place where the browser keeps tables that are under way, so that a user can go on after a closed page. */
function stored(mode, use) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('koa-short-url', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('tables');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const request = use(database.transaction('tables', mode).objectStore('tables'));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
      request.transaction.oncomplete = () => database.close();
    };
  });
}

const everything = (owner) => IDBKeyRange.bound([owner], [owner, []]);
const answersOf = (owner) => IDBKeyRange.bound([owner, 'answer', 0], [owner, 'answer', Infinity]);

/** Without such a place, the page itself must stay open. */
const keep = (key, value) => stored('readwrite', (tables) => tables.put(value, key)).catch(() => undefined);
const forget = (owner) => stored('readwrite', (tables) => tables.delete(everything(owner))).catch(() => undefined);

/** The page that answers a form. While the site does not answer, it is sent again: it creates nothing twice. */
async function pageFor(address, body, progress) {
  for (let pause = 2000; ; pause = Math.min(2 * pause, 30_000)) {
    const answer = await fetch(address, {method: 'POST', body}).catch(() => undefined);
    if (answer !== undefined && ![429, 502, 503, 504].includes(answer.status)) {
      return new DOMParser().parseFromString(await answer.text(), 'text/html');
    }
    progress.lastElementChild.textContent = progress.dataset.waiting;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Shows another page in place of this one. */
function show(page) {
  const content = page.querySelector('.links-content');
  // The user is logged out, or the site has another layout now.
  if (!content) return location.assign('./many');
  root.querySelector('.links-content').replaceWith(content);
  root.querySelector('[autofocus]')?.focus();
  void offerRest();
}

/** The lines of a text that fit into one form. */
function chunkOf(text, length) {
  if (text.length <= length) return text;
  const end = text.lastIndexOf('\n', length) + 1;
  return text.slice(0, end === 0 ? length : end);
}

/** Sends the rest of a table in portions, and shows the last answer with the results of all. */
async function sendTable(table, text, progress) {
  const {owner} = table;
  progress.hidden = false;
  for (let length = maxChunk; ;) {
    const rest = text.slice(table.position);
    const chunk = chunkOf(rest, length);
    const hasMore = chunk.length < rest.length;
    const body = new FormData();
    for (const [name, value] of table.fields) body.set(name, value);
    body.set('lines', chunk);
    if (hasMore) body.set('more', 'yes');
    else if (table.wrong.length < maxFile / 4) body.set('wrong', table.wrong);
    progress.firstElementChild.value = table.position / text.length;
    const page = await pageFor(table.address, body, progress);
    const answer = page.querySelector('.links-answer');
    if (!answer) return show(page);
    const form = page.querySelector('.links-rest');
    await keep([owner, 'answer', table.position], answer.href);
    if (form) {
      const left = form.elements.lines.value.length;
      // A row is longer than what was sent.
      length = left < chunk.length ? maxChunk : 2 * length;
      table.position += chunk.length - left;
      const fields = Array.from(new FormData(form));
      const wrong = fields.find(([name]) => name === 'wrong')[1];
      table.wrong += table.wrong === '' ? wrong : wrong.slice(wrong.indexOf('\n'));
      table.fields = fields.filter(([name]) => name !== 'lines' && name !== 'wrong');
      await keep([owner, 'table'], table);
      progress.lastElementChild.textContent = page.querySelector('.links-notice')?.textContent.trim() ?? '';
    } else {
      const answers = await stored('readonly', (tables) => tables.getAll(answersOf(owner))).catch(() => [answer.href]);
      answer.href = URL.createObjectURL(new Blob(answers.map(bytesOf), {type: 'text/csv'}));
      await forget(owner);
      return show(page);
    }
  }
}

/** The bytes of an answer in a `data:` URL, without the headings of all but the first. */
function bytesOf(address, index) {
  const text = atob(address.slice(address.indexOf(',') + 1));
  return Uint8Array.from(index === 0 ? text : text.slice(text.indexOf('\n') + 1), (byte) => byte.charCodeAt(0));
}

/** Begins to send the table of a form. */
async function beginTable(form, submitter) {
  const data = new FormData(form, submitter);
  const text = data.get('lines').replaceAll('\r\n', '\n') + waiting;
  const address = submitter?.hasAttribute('formaction') ? submitter.formAction : form.action;
  const progress = form.querySelector('.links-progress');
  const isOver = /create-many$/.test(address) || data.has('confirmed');
  if (!isOver) {
    if (waiting !== '') data.set('more', 'yes');
    progress.hidden = false;
    return show(await pageFor(address, data, progress));
  }
  const fields = Array.from(data).filter(([name]) => name !== 'lines');
  const table = {owner: form.dataset.owner, address, fields, position: 0, wrong: ''};
  waiting = '';
  await forget(table.owner);
  await keep([table.owner, 'text'], text);
  await keep([table.owner, 'table'], table);
  await sendTable(table, text, progress);
}

/** Reads the beginning of a file that is too long for one form. The rest waits here. */
async function readLongFile(form, file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  // In UTF-16, a line feed has two bytes.
  const width = bytes[0] === 0xff && bytes[1] === 0xfe ? 2 : 1;
  const endAfter = (mark) => {
    let end = bytes.lastIndexOf(mark, maxFile / 2);
    while (end > 0 && width === 2 && (end % 2 === 1 || bytes[end + 1] !== 0)) end = bytes.lastIndexOf(mark, end - 1);
    return end + width;
  };
  // Programs for a Macintosh may end lines with a carriage return only.
  const end = Math.max(endAfter(10), endAfter(13));
  const data = new FormData(form);
  data.set('more', 'yes');
  data.set('file', new Blob([bytes.subarray(0, end)]), file.name);
  const page = await pageFor(form.action, data, form.querySelector('.links-progress'));
  const {encoding} = page.querySelector('.links-portions')?.dataset ?? {};
  if (encoding) waiting = new TextDecoder(encoding).decode(bytes.subarray(end)).replaceAll(/\r\n?/g, '\n');
  show(page);
}

root.addEventListener('submit', (event) => {
  const {target: form, submitter} = event;
  const file = form.elements.file?.files?.[0];
  if (event.defaultPrevented) return;
  if (file?.size > maxFile) {
    event.preventDefault();
    void readLongFile(form, file);
  } else if (form.matches('.links-portions')) {
    event.preventDefault();
    void beginTable(form, submitter);
  }
});

/** Offers to go on with a table that was not finished. */
async function offerRest() {
  const place = root.querySelector('.links-unfinished');
  const {owner} = place?.dataset ?? {};
  const table = owner && (await stored('readonly', (tables) => tables.get([owner, 'table'])).catch(() => undefined));
  if (!table) return;
  const [goOn, discard] = place.querySelectorAll('button');
  place.hidden = false;
  goOn.onclick = async () => {
    place.querySelector('.links-row').hidden = true;
    const text = await stored('readonly', (tables) => tables.get([owner, 'text']));
    const token = root.querySelector('[name=_token]').value;
    table.fields = table.fields.map(([name, value]) => [name, name === '_token' ? token : value]);
    await sendTable(table, text, place.querySelector('.links-progress'));
  };
  discard.onclick = async () => {
    await forget(owner);
    place.hidden = true;
  };
}

// The server goes on where the script did not begin.
const restForm = root.querySelector('.links-rest');
if (restForm) void beginTable(restForm);
else void offerRest();
