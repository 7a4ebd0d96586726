import { type ErrorsAt, errorsBelow, WordChoice } from '../ui/form.tsx'
import { type EditedAttribute, type EditedLabel, inputTypes, labelTypes, newKey } from './draft.ts'
import './labels.css'

interface Props {
  label: EditedLabel
  onChange: (label: EditedLabel) => void
  onRemove?: () => void
  /** Errors by field of the label: `name`, `attributes[0].values`. */
  errorsAt: ErrorsAt
}

/** Renders the fields of a label: colour, name, type and attributes. */
export function LabelFields({ label, onChange, onRemove, errorsAt }: Props) {
  const { name = '', color = '#808080', type = 'any', attributes } = label
  const change = (changes: Partial<EditedLabel>) => onChange({ ...label, ...changes })
  const wrong = ['name', 'color', 'type', 'sublabels', 'svg'].flatMap(errorsAt)
  return (
    <>
      <div className="line">
        <input
          type="color"
          aria-label={`Colour of ${name}`}
          value={color}
          onChange={({ target }) => change({ color: target.value })}
        />
        <input
          aria-label={`Name of ${name}`}
          value={name}
          aria-invalid={errorsAt('name').length > 0 || undefined}
          onChange={({ target }) => change({ name: target.value })}
        />
        <WordChoice
          label={`Type of ${name}`}
          words={typesOf(label)}
          value={type}
          onChoose={(chosen) => change({ type: chosen })}
        />
        {onRemove && (
          <button type="button" className="plain" aria-label={`Remove ${name}`} onClick={onRemove}>
            ×
          </button>
        )}
      </div>
      {wrong.map((text) => (
        <p key={text} className="wrong">
          {text}
        </p>
      ))}
      <Attributes
        attributes={attributes}
        onChange={(all) => change({ attributes: all })}
        errorsAt={errorsAt}
      />
    </>
  )
}

/**
 * The type of a skeleton cannot change, and other labels cannot become skeletons: their points can only be entered as
 * JSON.
 */
function typesOf({ type }: EditedLabel) {
  return type === 'skeleton'
    ? labelTypes.filter((one) => one === type)
    : labelTypes.filter((one) => one !== 'skeleton')
}

interface AttributesProps {
  attributes: EditedAttribute[]
  onChange: (attributes: EditedAttribute[]) => void
  errorsAt: ErrorsAt
}

function Attributes({ attributes, onChange, errorsAt }: AttributesProps) {
  const shown = attributes.filter(({ deleted }) => !deleted)
  const replace = (key: string, by: EditedAttribute[]) =>
    onChange(attributes.flatMap((one) => (one.key === key ? by : [one])))
  const add = () =>
    onChange([...attributes, { key: newKey(), name: '', input_type: 'select', mutable: false }])
  return (
    <details className="attributes">
      <summary>
        {shown.length === 0
          ? 'Attributes'
          : `Attributes: ${shown.map(({ name }) => name).join(', ')}`}
      </summary>
      {attributes.map((one, index) =>
        one.deleted ? null : (
          <AttributeFields
            key={one.key}
            attribute={one}
            errorsAt={errorsBelow(errorsAt, `attributes[${index}]`)}
            onChange={(attribute) => replace(one.key, [attribute])}
            onRemove={() => replace(one.key, one.id ? [{ ...one, deleted: true }] : [])}
          />
        ),
      )}
      <button type="button" onClick={add}>
        Add an attribute
      </button>
    </details>
  )
}

interface AttributeFieldsProps {
  attribute: EditedAttribute
  onChange: (attribute: EditedAttribute) => void
  onRemove: () => void
  /** Errors by field of the attribute: `name`, `values`. */
  errorsAt: ErrorsAt
}

function AttributeFields({ attribute, onChange, onRemove, errorsAt }: AttributeFieldsProps) {
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
  select: 'values, one per line',
  radio: 'values, one per line',
  number: 'minimum, maximum and step, one per line',
  checkbox: '',
  text: '',
}

function Values({ attribute, onChange }: Pick<AttributeFieldsProps, 'attribute' | 'onChange'>) {
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
