// Runs before the first paint, so that nobody sees a flash of the other theme. Kept apart from the pages because of
// that: a module would run too late, and the content policy allows no script inside the page.
try {
  document.documentElement.dataset.theme = localStorage.getItem('bellhop.theme') ?? 'system'
} catch {
  document.documentElement.dataset.theme = 'system'
}
