// Runs before the first paint, so that the other theme doesn't flash. It is a separate file, because a module would run
// too late, and the content security policy allows no inline script.
try {
  document.documentElement.dataset.theme = localStorage.getItem('bellhop.theme') ?? 'system'
} catch {
  document.documentElement.dataset.theme = 'system'
}
