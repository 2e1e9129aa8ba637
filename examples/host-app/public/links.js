/* global document, fetch, location, navigator */
// "Copy a short link" on the page of the tickets, and the user's links to it, with the visits of each.
const share = document.querySelector('#share');
const [button, status, list] = ['button', '[role=status]', 'ul'].map((selector) => share.querySelector(selector));

async function call(operation, parameters) {
  const request = {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(parameters)};
  const answer = await fetch(`/account/api/${operation}`, request);
  const {data} = await answer.json();
  if (!answer.ok) throw new Error(data.message);
  return data;
}

async function showLinks() {
  const {urls} = await call('list_urls', {tag: 'tickets'});
  const texts = urls.map(({short_url: shortUrl, total_visits: visits}) => `${shortUrl} – visits: ${visits}`);
  list.replaceChildren(...texts.map((textContent) => Object.assign(document.createElement('li'), {textContent})));
}

async function copyLink() {
  const url = location.origin + location.pathname;
  const {short_url: shortUrl} = await call('create', {url, tags: ['tickets'], reuse: true});
  await navigator.clipboard.writeText(shortUrl);
  status.textContent = `Copied: ${shortUrl}`;
  await showLinks();
}

button.addEventListener('click', () => copyLink().catch(({message}) => (status.textContent = message)));
share.hidden = false;
await showLinks();
