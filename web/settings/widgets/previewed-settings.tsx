import { createSignal } from 'solid-js'
import { Appearance } from './appearance.tsx'
import { Questions } from './questions.tsx'
import type { Widget } from './widget-data.ts'
import { type SampleView, WidgetPreview } from './widget-preview.tsx'
import './previewed-settings.css'

/** The settings that visitors see, beside the widget as it would be with what is typed. */
export function PreviewedSettings(props: { widget: Widget }) {
  const [appearance, setAppearance] = createSignal(props.widget.appearance)
  const [questions, setQuestions] = createSignal(props.widget.questions)
  const [view, setView] = createSignal<SampleView>('conversation')
  return (
    <div class="previewed-settings">
      <div class="previewed-settings-forms">
        <Appearance widget={props.widget} onTyped={setAppearance} />
        {/* They are asked before the first message only. */}
        <div onFocusIn={() => setView('first')}>
          <Questions widget={props.widget} onTyped={setQuestions} />
        </div>
      </div>
      <WidgetPreview
        appearance={appearance()}
        questions={questions()}
        awayText={props.widget.hours?.awayText ?? ''}
        view={view()}
        onView={setView}
      />
    </div>
  )
}
