import { ApiError, type Webhook } from '@reticle/sdk'
import { type ReactNode, useState } from 'react'
import { Failure } from '../ui/failure.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { OptionField } from '../ui/option-field.tsx'
import { EventsChoice } from './events-choice.tsx'

/** Values of the webhook form. */
export interface Settings {
  target_url: string
  description: string
  events: string
  enable_ssl: boolean
  dialect: Webhook['dialect']
}

const dialects = [
  ['service', 'the API of this service'],
  ['cvat', 'the API of CVAT'],
] as const

interface Props {
  type: 'organization' | 'project'
  webhook?: Webhook
  error: Error | null
  isPending: boolean
  /** Text of the button. */
  action: string
  onSubmit: (settings: Settings, form: FormData) => void
  /** Fields that are set only on creation. */
  children?: ReactNode
}

/** Renders a form for the settings of a new or existing webhook. */
export function WebhookForm(props: Props) {
  const { type, webhook, error, isPending, action, onSubmit, children } = props
  const [events, setEvents] = useState(webhook?.events_list ?? [])
  const fields = error instanceof ApiError ? error.fields : {}
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const text = (name: string) => formText(form, name)
        const told = { target_url: text('target_url'), description: text('description') }
        const enable_ssl = form.has('enable_ssl')
        const dialect = text('dialect') === 'cvat' ? 'cvat' : 'service'
        onSubmit({ ...told, events: events.join(','), enable_ssl, dialect }, form)
      }}
    >
      {children}
      <Field
        label="Address that is told"
        name="target_url"
        type="url"
        required
        placeholder="https://ci.example.org/hook"
        defaultValue={webhook?.target_url}
        errors={fields.target_url}
      />
      <Field
        label="Description"
        name="description"
        maxLength={128}
        defaultValue={webhook?.description}
        errors={fields.description}
      />
      <OptionField
        label="Form of payloads"
        name="dialect"
        options={dialects}
        defaultValue={webhook?.dialect}
        hint="Receivers that were written for CVAT need the form of CVAT."
      />
      <EventsChoice key={type} type={type} chosen={events} onChange={setEvents} />
      <label>
        <input type="checkbox" name="enable_ssl" defaultChecked={webhook?.enable_ssl ?? true} /> The
        certificate of the receiver is checked
      </label>
      {error && <Failure error={error} />}
      <button type="submit" className="primary" disabled={isPending || events.length === 0}>
        {action}
      </button>
    </form>
  )
}
