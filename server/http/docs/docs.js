// Runs before the first paint, so that the page never flashes in the other theme: what was chosen in the inbox.
try {
  document.documentElement.dataset.theme = localStorage.getItem('bellhop.theme') ?? 'system'
} catch {
  document.documentElement.dataset.theme = 'system'
}

const SHOWN_MS = 2000

document.addEventListener('DOMContentLoaded', () => {
  for (const block of document.querySelectorAll('.code'))
    block.append(copyButton(block.querySelector('code')))
})

function copyButton(code) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', async () => {
    button.textContent = (await copy(code)) ? 'Copied' : "Couldn't copy"
    setTimeout(() => {
      button.textContent = 'Copy'
    }, SHOWN_MS)
  })
  return button
}

/** Browsers offer the clipboard to secure pages only; elsewhere the code is selected and copied the old way. */
async function copy(code) {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(code.textContent)
      return true
    }
    getSelection().selectAllChildren(code)
    return document.execCommand('copy')
  } catch {
    return false
  }
}
