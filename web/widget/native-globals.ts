import type { NativeName } from './contract.ts'

const NATIVE = /^function \w*\(\)\s*\{\s*\[native code\]\s*\}$/

let frame: HTMLIFrameElement | undefined

/**
 * The browser's own `fetch`, `Promise` and so on. Pages replace them: with a broken polyfill, or with one that reports each
 * request, tokens included. A replaced one is taken from an empty frame, whose functions no script has touched. The frame
 * stays in the page, because requests of a removed one are canceled, and is asked each time, because Firefox reloads it.
 */
export function native<Name extends NativeName>(name: Name): (typeof globalThis)[Name] {
  if (isNative(globalThis[name])) return globalThis[name]
  if (!frame?.isConnected) {
    frame = document.createElement('iframe')
    frame.setAttribute('aria-hidden', 'true')
    frame.tabIndex = -1
    frame.style.setProperty('display', 'none', 'important')
    document.documentElement.append(frame)
  }
  const untouched = frame.contentWindow as (Window & typeof globalThis) | null
  return (untouched ?? globalThis)[name]
}

function isNative(value: unknown): boolean {
  try {
    return typeof value === 'function' && NATIVE.test(Function.prototype.toString.call(value))
  } catch {
    return false
  }
}
