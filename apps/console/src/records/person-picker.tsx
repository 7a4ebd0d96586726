import type { BasicUser } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/feedback.tsx'
import { Field } from '../ui/form.tsx'
import { personName } from '../ui/values.tsx'

interface Props {
  /** Label: `Assignee of job 31`. */
  label: string
  value: BasicUser | null
  /** Organization of the object, whose members are suggested. */
  organization: number | null
  onChoose: (person: BasicUser | null) => void
}

/** Shows a user, with a button to choose another one. */
export function PersonPicker(props: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const { label, value } = props
  const name = value ? personName(value) : 'None'
  return (
    <>
      <button
        type="button"
        className="plain"
        aria-label={`${label}: ${name}`}
        onClick={() => setIsOpen(true)}
      >
        {name} <span aria-hidden="true">▾</span>
      </button>
      {isOpen && <PersonDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  )
}

const offered = 20

function PersonDialog({
  label,
  value,
  organization,
  onChoose,
  onClose,
}: Props & { onClose: () => void }) {
  const [search, setSearch] = useState('')
  const org_id = organization ?? undefined
  const found = useAnswer(api.listUsers, { search, org_id, page_size: offered }, { keeps: true })
  const choose = (person: BasicUser | null) => {
    onClose()
    if (person?.id !== value?.id) onChoose(person)
  }
  return (
    <Dialog title={label} onClose={onClose}>
      <Field
        label="Search people"
        type="search"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
        autoFocus
      />
      {found.error && <Failure error={found.error} />}
      <ul className="choices">
        <li>
          <Choice isChosen={!value} onClick={() => choose(null)} name="None" />
        </li>
        {found.data?.results.map((person) => (
          <li key={person.id}>
            <Choice
              isChosen={person.id === value?.id}
              onClick={() => choose(person)}
              name={personName(person)}
            />
          </li>
        ))}
      </ul>
      {(found.data?.count ?? 0) > offered && (
        <p className="hint">{found.data?.count} in all. Search to find the others.</p>
      )}
    </Dialog>
  )
}

interface ChoiceProps {
  name: string
  isChosen: boolean
  onClick: () => void
}

function Choice({ name, isChosen, onClick }: ChoiceProps) {
  return (
    <button type="button" aria-pressed={isChosen} onClick={onClick}>
      {name}
    </button>
  )
}
