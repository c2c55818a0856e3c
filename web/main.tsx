import './ui/base.css'
import { QueryClientProvider } from '@tanstack/solid-query'
import { render } from 'solid-js/web'
import { queries } from './queries.ts'
import { Routes } from './routes.tsx'
import './theme.ts'

// A newer version has been started, and the part that is wanted now is not there any more: begin with the new one.
window.addEventListener('vite:preloadError', () => window.location.reload())

const place = document.getElementById('app')
if (!place) throw new Error('index.html has no place for the app.')
render(
  () => (
    <QueryClientProvider client={queries}>
      <Routes />
    </QueryClientProvider>
  ),
  place,
)
