import type { Webhook } from '@reticle/sdk'
import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { Failure, Loading } from '../ui/feedback.tsx'
import { errorsOf, Field, formText, OptionField } from '../ui/form.tsx'
import { actionOf, eventGroups } from './event-groups.ts'

/** Values of the webhook form. */
interface WebhookSettings {
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
  onSubmit: (settings: WebhookSettings, form: FormData) => void
  /** Fields that are set only on creation. */
  children?: ReactNode
}

export function WebhookForm(props: Props) {
  const { type, webhook, error, isPending, action, onSubmit, children } = props
  const [events, setEvents] = useState(webhook?.events_list ?? [])
  const errorsAt = errorsOf(error)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const text = (name: string) => formText(form, name)
        const settings: WebhookSettings = {
          target_url: text('target_url'),
          description: text('description'),
          events: events.join(','),
          enable_ssl: form.has('enable_ssl'),
          dialect: text('dialect') === 'cvat' ? 'cvat' : 'service',
        }
        onSubmit(settings, form)
      }}
    >
      {children}
      <Field
        label="Receiver address"
        name="target_url"
        type="url"
        required
        placeholder="https://ci.example.org/hook"
        defaultValue={webhook?.target_url}
        errors={errorsAt('target_url')}
      />
      <Field
        label="Description"
        name="description"
        maxLength={128}
        defaultValue={webhook?.description}
        errors={errorsAt('description')}
      />
      <OptionField
        label="Payload format"
        name="dialect"
        options={dialects}
        defaultValue={webhook?.dialect}
        hint="Choose CVAT for receivers that were written for CVAT."
      />
      <EventsChoice key={type} type={type} chosen={events} onChange={setEvents} />
      <label>
        <input type="checkbox" name="enable_ssl" defaultChecked={webhook?.enable_ssl ?? true} />{' '}
        Verify the certificate of the receiver
      </label>
      {error && <Failure error={error} />}
      <button type="submit" className="primary" disabled={isPending || events.length === 0}>
        {action}
      </button>
    </form>
  )
}

interface EventsChoiceProps {
  type: 'organization' | 'project'
  chosen: readonly string[]
  onChange: (events: string[]) => void
}

/** Renders a field to choose events that the webhook type supports. */
function EventsChoice({ type, chosen, onChange }: EventsChoiceProps) {
  const { data, error } = useAnswer(api.listWebhookEvents, { type })
  if (error) return <Failure error={error} />
  if (!data) return <Loading />
  const toggle = (events: readonly string[], isOn: boolean) => {
    const others = chosen.filter((one) => !events.includes(one))
    onChange(isOn ? [...others, ...events] : others)
  }
  return (
    <fieldset className="options events">
      <legend>
        Events ({chosen.filter((one) => data.events.includes(one)).length} of {data.events.length})
      </legend>
      <EventCheckbox
        name="All events"
        isOn={data.events.every((one) => chosen.includes(one))}
        onChange={(isOn) => toggle(data.events, isOn)}
      />
      {eventGroups(data.events).map(({ about, events }) => (
        <fieldset key={about}>
          <legend>{about}</legend>
          {events.map((event) => (
            <EventCheckbox
              key={event}
              name={actionOf(event)}
              isOn={chosen.includes(event)}
              onChange={(isOn) => toggle([event], isOn)}
            />
          ))}
        </fieldset>
      ))}
    </fieldset>
  )
}

interface EventCheckboxProps {
  name: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

function EventCheckbox({ name, isOn, onChange }: EventCheckboxProps) {
  return (
    <label>
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />{' '}
      {name}
    </label>
  )
}

/** Generates a signing secret: 32 random bytes as 64 hexadecimal digits. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
