/* global AbortController, clearTimeout, document, DOMParser, fetch, FormData, history, setTimeout, URLSearchParams */

// Searches while the visitor types: the page that the form would lead to is fetched, and its table put in place of ours.

const form = document.querySelector('form[role=search]');
let pending = new AbortController();
let pause;

async function search() {
  pending.abort();
  pending = new AbortController();
  const text = new FormData(form).get('search').trim();
  const path = text === '' ? '/account' : `/account?${new URLSearchParams({search: text})}`;
  const answer = await fetch(path, {signal: pending.signal});
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const found = page.querySelector('#links-found');
  // Logged out meanwhile, or the store is away: the form itself says it better.
  if (!found) return form.submit();
  document.querySelector('#links-found').replaceWith(found);
  document.querySelector('#links-count').textContent = page.querySelector('#links-count').textContent;
  history.replaceState(null, '', path);
}

form?.addEventListener('input', () => {
  clearTimeout(pause);
  pause = setTimeout(() => {
    search().catch((error) => {
      if (error.name !== 'AbortError') form.submit();
    });
  }, 150);
});
