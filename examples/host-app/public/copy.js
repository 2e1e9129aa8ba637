/* global document, navigator, setTimeout */

// Buttons that copy. Without this script, or where the browser gives no clipboard, they are not shown.

/** What a button copies: what it says itself, or the line it stands in, with the key also while that is hidden. */
function textFor(button) {
  if (button.dataset.copy) return button.dataset.copy;
  const line = button.closest('.copyable').querySelector('code').cloneNode(true);
  for (const mask of line.querySelectorAll('.mask')) mask.remove();
  return line.textContent.trim();
}

async function copy(button) {
  await navigator.clipboard.writeText(textFor(button));
  button.dataset.label ??= button.textContent;
  button.textContent = 'Copied';
  document.querySelector('#said').textContent = 'Copied to the clipboard.';
  setTimeout(() => {
    button.textContent = button.dataset.label;
    document.querySelector('#said').textContent = '';
  }, 1500);
}

if (navigator.clipboard) {
  document.documentElement.classList.add('can-copy');
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button.copy');
    if (button) void copy(button);
  });
}
