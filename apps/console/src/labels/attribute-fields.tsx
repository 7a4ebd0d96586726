import { WordChoice } from '../ui/word-choice.tsx'
import { type EditedAttribute, inputTypes } from './draft.ts'
import type { ErrorsAt } from './errors.ts'

interface Props {
  attribute: EditedAttribute
  onChange: (attribute: EditedAttribute) => void
  onRemove: () => void
  /** Errors by field of the attribute: `name`, `values`. */
  errorsAt: ErrorsAt
}

/** Renders the fields of an attribute: name, input type and values. */
export function AttributeFields({ attribute, onChange, onRemove, errorsAt }: Props) {
  const { id, name = '', input_type = 'select', mutable = false } = attribute
  const change = (changes: Partial<EditedAttribute>) => onChange({ ...attribute, ...changes })
  const isStored = id !== undefined // some fields of a stored attribute cannot change
  const wrong = ['name', 'values', 'default_value', 'input_type'].flatMap(errorsAt)
  return (
    <div className="attribute">
      <div className="line">
        <input
          aria-label="Name of the attribute"
          placeholder="name"
          value={name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <WordChoice
          label={`Kind of ${name}`}
          words={inputTypes}
          value={input_type}
          onChoose={(chosen) => change({ input_type: chosen })}
          isDisabled={isStored}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={mutable}
            disabled={isStored}
            onChange={({ target }) => change({ mutable: target.checked })}
          />
          mutable
        </label>
        <button type="button" className="plain" aria-label={`Remove ${name}`} onClick={onRemove}>
          ×
        </button>
      </div>
      {hints[input_type] && <Values attribute={attribute} onChange={onChange} />}
      {wrong.map((text) => (
        <p key={text} className="wrong">
          {text}
        </p>
      ))}
    </div>
  )
}

const hints = {
  select: 'values, one a line',
  radio: 'values, one a line',
  number: 'least, most and step, one a line',
  checkbox: '',
  text: '',
}

function Values({ attribute, onChange }: Pick<Props, 'attribute' | 'onChange'>) {
  const { name = '', input_type = 'select', values = [] } = attribute
  return (
    <textarea
      aria-label={`Values of ${name}`}
      placeholder={hints[input_type]}
      rows={Math.max(3, values.length + 1)}
      value={values.join('\n')}
      onChange={({ target }) => onChange({ ...attribute, values: target.value.split('\n') })}
    />
  )
}
