import { type Accessor, createSignal } from 'solid-js'

type Control = HTMLInputElement | HTMLTextAreaElement

/** What the browser finds wrong with a field when its form is sent, said below the field instead of in a bubble of its own. */
export function createValidity(): {
  fault: Accessor<string | undefined>
  check: (event: Event) => void
  clear: () => void
} {
  const [fault, setFault] = createSignal<string>()

  function check(event: Event): void {
    const control = event.currentTarget
    if (!(control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)) return
    event.preventDefault()
    setFault(sentenceFor(control))
    // Without its bubble the browser does not lead there either.
    if (control.form?.querySelector('input:invalid, textarea:invalid') === control) control.focus()
  }

  return { fault, check, clear: () => setFault(undefined) }
}

function sentenceFor({ validity, type, validationMessage }: Control): string {
  if (validity.valueMissing) return 'This is still missing.'
  if (validity.typeMismatch && type === 'email') return 'Write an e-mail address, such as ana@example.com.'
  if (validity.typeMismatch && type === 'url') return 'Write a whole address, such as https://example.com.'
  return validationMessage
}
