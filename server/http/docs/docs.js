// Runs before the first paint, so that the page never flashes in the other theme: what was chosen in the inbox.
try {
  document.documentElement.dataset.theme = localStorage.getItem('bellhop.theme') ?? 'system'
} catch {
  document.documentElement.dataset.theme = 'system'
}

const SHOWN_MS = 2000
const LANGUAGES = { curl: 'curl', typescript: 'TypeScript', python: 'Python' }
const LANGUAGE_PLACE = 'bellhop.docs.language'

chooseLanguage(stored(LANGUAGE_PLACE) in LANGUAGES ? stored(LANGUAGE_PLACE) : 'curl')

document.addEventListener('DOMContentLoaded', () => {
  for (const block of document.querySelectorAll('.code'))
    block.append(copyButton(block.querySelector('code')))
  for (const place of document.querySelectorAll('.languages')) place.append(...languageButtons())
  chooseLanguage(document.documentElement.dataset.language)
})

function stored(place) {
  try {
    return localStorage.getItem(place) ?? ''
  } catch {
    return ''
  }
}

/** All examples that are there in several languages change together, and stay so. */
function chooseLanguage(language) {
  document.documentElement.dataset.language = language
  for (const button of document.querySelectorAll('.languages button'))
    button.setAttribute('aria-pressed', String(button.value === language))
}

function languageButtons() {
  return Object.entries(LANGUAGES).map(([language, name]) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.value = language
    button.textContent = name
    button.addEventListener('click', () => {
      // The pages above change their height, too: what the reader looks at stays where it is.
      const top = button.getBoundingClientRect().top
      chooseLanguage(language)
      scrollBy(0, button.getBoundingClientRect().top - top)
      try {
        localStorage.setItem(LANGUAGE_PLACE, language)
      } catch {
        // It is only not remembered.
      }
    })
    return button
  })
}

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
