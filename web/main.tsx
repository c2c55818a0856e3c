import './ui/base.css'
import { QueryClientProvider } from '@tanstack/solid-query'
import { render } from 'solid-js/web'
import { queries } from './api/queries.ts'
import { Routes } from './routes.tsx'
import './browser/theme.ts'
import './browser/visual-viewport.ts'

const root = document.getElementById('app')
if (!root) throw new Error('index.html has no element #app.')
render(
  () => (
    <QueryClientProvider client={queries}>
      <Routes />
    </QueryClientProvider>
  ),
  root,
)
