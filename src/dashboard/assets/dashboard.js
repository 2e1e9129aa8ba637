/* global AbortController, addEventListener, clearTimeout, document, DOMParser, fetch, FormData, history, navigator, Option, setTimeout, URLSearchParams */

// Adds buttons that copy, a box that selects all links, a list that is filtered while the user types, and forms that a
// double click sends only once.
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
