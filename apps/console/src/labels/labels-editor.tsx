import { useId } from 'react'
import { About, type ErrorsAt, errorsBelow, Field } from '../ui/form.tsx'
import {
  type EditedLabel,
  type LabelEditorState,
  parseLabels,
  toEditedLabel,
  toLabelWrites,
  withTyped,
} from './draft.ts'
import { LabelFields } from './label-fields.tsx'

interface Props {
  value: LabelEditorState
  onChange: (value: LabelEditorState) => void
  /** Errors by field of the service: `labels[1].name`. */
  errorsAt: ErrorsAt
}

/** Renders an editor for new labels: names to type quickly, with colour, type and attributes; or JSON. */
export function LabelsEditor({ value, onChange, errorsAt }: Props) {
  const isJson = value.json !== undefined
  return (
    <fieldset className="labels-editor">
      <legend>Labels</legend>
      {isJson ? (
        <JsonField value={value} onChange={onChange} errorsAt={errorsAt} />
      ) : (
        <Rows value={value} onChange={onChange} errorsAt={errorsAt} />
      )}
      <button
        type="button"
        className="plain as-json"
        disabled={isJson && !isWhole(value)}
        onClick={() => onChange(isJson ? asRows(value) : asJson(value))}
      >
        {isJson ? 'Edit as a list' : 'Edit as JSON'}
      </button>
    </fieldset>
  )
}

function Rows({ value, onChange, errorsAt }: Props) {
  const setRows = (rows: EditedLabel[]) => onChange({ ...value, rows })
  return (
    <>
      {value.rows.length > 0 && (
        <ul className="rows">
          {value.rows.map((row, index) => (
            <li key={row.key}>
              <LabelFields
                label={row}
                errorsAt={errorsBelow(errorsAt, `labels[${index}]`)}
                onChange={(label) =>
                  setRows(value.rows.map((one) => (one.key === row.key ? label : one)))
                }
                onRemove={() => setRows(value.rows.filter(({ key }) => key !== row.key))}
              />
            </li>
          ))}
        </ul>
      )}
      <NamesField
        typed={value.typed}
        errors={errorsAt('labels')}
        onType={(typed) => onChange({ ...value, typed })}
        onEnter={(typed) => onChange(withTyped({ ...value, typed }))}
      />
    </>
  )
}

/** Renders a field for labels as JSON, including skeletons with their points. */
function JsonField({ value, onChange, errorsAt }: Props) {
  const id = useId()
  const wrong = mistakeOf(value.json ?? '')
  const errors = wrong ? [wrong] : errorsAt('labels')
  return (
    <div className="field">
      <label htmlFor={id}>Labels as JSON</label>
      <textarea
        id={id}
        rows={12}
        spellCheck={false}
        value={value.json}
        aria-invalid={errors.length > 0 || undefined}
        aria-describedby={`${id}-about`}
        onChange={({ target }) => onChange({ ...value, json: target.value })}
      />
      <About
        id={`${id}-about`}
        errors={errors}
        hint="In the format of the API. Skeletons include their sublabels and svg."
      />
    </div>
  )
}

const asJson = (value: LabelEditorState): LabelEditorState => ({
  ...value,
  json: JSON.stringify(toLabelWrites(value), null, 2),
})

const asRows = ({ json = '' }: LabelEditorState): LabelEditorState => ({
  rows: parseLabels(json).map(toEditedLabel),
  typed: '',
})

const isWhole = ({ json = '' }: LabelEditorState) => mistakeOf(json) === undefined

function mistakeOf(json: string): string | undefined {
  try {
    parseLabels(json)
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
  return undefined
}

interface NamesFieldProps {
  typed: string
  errors: readonly string[]
  onType: (typed: string) => void
  /** Called when names are complete; one per line. */
  onEnter: (typed: string) => void
}

/** Renders a field for label names, each ended with Enter; a pasted list becomes one label per line. */
export function NamesField({ typed, errors, onType, onEnter }: NamesFieldProps) {
  return (
    <Field
      label="Add labels"
      placeholder="car"
      value={typed}
      errors={errors}
      hint="Press Enter after each name, or paste a list with one name per line."
      autoComplete="off"
      enterKeyHint="enter"
      onChange={({ target }) => onType(target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed.trim() === '') return
        event.preventDefault() // the form is submitted only when no name is left to add
        onEnter(typed)
      }}
      onPaste={(event) => {
        const text = event.clipboardData.getData('text')
        if (!text.includes('\n')) return
        event.preventDefault()
        onEnter(`${typed}\n${text}`)
      }}
    />
  )
}
