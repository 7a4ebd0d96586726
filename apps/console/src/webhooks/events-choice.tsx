import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { actionOf, eventGroups } from './event-groups.ts'

interface Props {
  type: 'organization' | 'project'
  chosen: readonly string[]
  onChange: (events: string[]) => void
}

/** Renders a field to choose events that the webhook type supports. */
export function EventsChoice({ type, chosen, onChange }: Props) {
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
      <Event
        name="All of them"
        isOn={data.events.every((one) => chosen.includes(one))}
        onChange={(isOn) => toggle(data.events, isOn)}
      />
      {eventGroups(data.events).map(({ about, events }) => (
        <fieldset key={about}>
          <legend>{about}</legend>
          {events.map((event) => (
            <Event
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

interface EventProps {
  name: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

function Event({ name, isOn, onChange }: EventProps) {
  return (
    <label>
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />{' '}
      {name}
    </label>
  )
}
