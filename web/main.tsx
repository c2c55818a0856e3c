import './ui/base.css'
import { QueryClientProvider } from '@tanstack/solid-query'
import { render } from 'solid-js/web'
import { queries } from './api/queries.ts'
import { Routes } from './routes.tsx'
import './browser/theme.ts'
import './browser/visual-viewport.ts'

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
