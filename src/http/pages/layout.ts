import {createHash} from 'node:crypto';

const style = `
:root { color-scheme: light dark; --text: #1d2228; --quiet: #5a6470; --page: #f4f5f7; --card: #fff; --line: #8b949e; --accent: #0b57d0; --on-accent: #fff; --alarm: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --quiet: #a9b2bd; --page: #14171a; --card: #1f2429; --line: #7d8590; --accent: #a8c7fa; --on-accent: #062e6f; --alarm: #f2b8b5; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 26rem; padding: 2rem; background: var(--card); border-radius: .75rem; box-shadow: 0 1px 3px rgb(0 0 0 / 20%); }
h1 { margin: 0 0 .75rem; font-size: 1.375rem; line-height: 1.25; }
p { margin: 0 0 1rem; color: var(--quiet); }
main > :last-child { margin-bottom: 0; }
label { display: block; margin-bottom: .375rem; font-weight: 600; }
input, button { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border-radius: .375rem; font: inherit; }
input { border: 1px solid var(--line); background: var(--card); color: var(--text); }
button { margin-top: 1rem; border: 0; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.alarm { color: var(--alarm); font-weight: 600; }
`;

/**
 * What the built-in pages may do: show their own style and send their form. `form-action` names any site, because
 * browsers hold the redirect that answers the form to it as well.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self' http: https:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A whole page of the given title and content; both are our own text, and nothing in them comes from a request. */
export function layout(title: string, content: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}
