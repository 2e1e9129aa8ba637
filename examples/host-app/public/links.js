/* global document, fetch, location, navigator */
// "Copy a short link" on the page of the tickets, and the user's links to it, with the visits of each.
const share = document.querySelector('#share');
const status = share.querySelector('[role=status]');

async function call(operation, parameters) {
  const answer = await fetch(`/account/api/${operation}`, {
    method: 'POST',
    headers: {'Content-Type': 'application/json'},
    body: JSON.stringify(parameters),
  });
  const {data} = await answer.json();
  if (!answer.ok) throw new Error(data.message);
  return data;
}

async function showLinks() {
  const {urls} = await call('list_urls', {tag: 'tickets'});
  const texts = urls.map(({short_url: shortUrl, total_visits: visits}) => `${shortUrl} – visits: ${visits}`);
  share
    .querySelector('ul')
    .replaceChildren(...texts.map((text) => Object.assign(document.createElement('li'), {textContent: text})));
}

share.querySelector('button').addEventListener('click', async () => {
  try {
    const url = location.origin + location.pathname;
    const {short_url: shortUrl} = await call('create', {url, tags: ['tickets'], reuse: true});
    await navigator.clipboard.writeText(shortUrl);
    status.textContent = `Copied: ${shortUrl}`;
    await showLinks();
  } catch (error) {
    status.textContent = error.message;
  }
});
share.hidden = false;
await showLinks();
