import { defineConfig } from 'vite'

// One page of Solid, which is built in a tenth of the time that those of `web` take.
export default defineConfig({ root: import.meta.dirname })
