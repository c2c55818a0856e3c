import { render } from 'solid-js/web'

render(() => 'Hello', document.body)
