/* global AbortController, clearTimeout, document, DOMParser, fetch, FormData, history, navigator, setTimeout, URLSearchParams */

// What is better with script: buttons that copy, and a list that is searched while the user types. All else works without.

const root = document.querySelector('.links-dashboard');

/** What a button copies: the text that it carries, or the line that it names, with the key also while that is hidden. */
function textFor(button) {
  if (button.dataset.copy) return button.dataset.copy;
  const line = document.getElementById(button.dataset.copyFrom).cloneNode(true);
  for (const mask of line.querySelectorAll('.links-mask')) mask.remove();
  return line.textContent.trim();
}

async function copy(button) {
  await navigator.clipboard.writeText(textFor(button));
  button.dataset.label ??= button.textContent;
  button.textContent = button.dataset.done;
  say(button.dataset.done);
  setTimeout(() => {
    button.textContent = button.dataset.label;
    say('');
  }, 1500);
}

/** Tells a screen reader. */
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

const filter = root.querySelector('.links-filter');
let pending = new AbortController();
let pause;

/** Fetches the page that the form would lead to, and puts its list in place of ours. */
async function search() {
  pending.abort();
  pending = new AbortController();
  const values = Array.from(new FormData(filter), ([name, value]) => [name, value.trim()]);
  const query = new URLSearchParams(values.filter(([, value]) => value !== '')).toString();
  const address = query === '' ? './' : `./?${query}`;
  const answer = await fetch(address, {signal: pending.signal});
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const found = page.querySelector('#links-found');
  // Logged out meanwhile, or the store is away: the page itself says it better.
  if (!found) return filter.submit();
  document.querySelector('#links-found').replaceWith(found);
  history.replaceState(null, '', address);
}

filter?.addEventListener('input', () => {
  clearTimeout(pause);
  pause = setTimeout(() => {
    search().catch((error) => {
      if (error.name !== 'AbortError') filter.submit();
    });
  }, 200);
});
