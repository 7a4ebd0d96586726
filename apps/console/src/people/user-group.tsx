import type { MetaUser } from '@reticle/sdk'
import { useToast } from '../ui/toasts.tsx'
import { changeUser } from './change-user.ts'

const groups = ['admin', 'user', 'worker'] as const
const none = 'none'

/**
 * Shows the group of an account, with a way to change it. The group `admin` also sets two flags, and other groups
 * clear them.
 */
export function UserGroup({ user: { id, username, groups: given = [] } }: { user: MetaUser }) {
  const toast = useToast()
  const before = groups.find((one) => given.includes(one))
  const move = (to: (typeof groups)[number] | undefined) =>
    changeUser(id, {
      groups: to ? [to] : [],
      is_staff: to === 'admin',
      is_superuser: to === 'admin',
    })
  const change = (to: (typeof groups)[number] | undefined) =>
    move(to).then(
      () => toast({ text: `${username} is ${to ?? 'in no group'} now.`, undo: () => move(before) }),
      (error: Error) => toast({ text: error.message }),
    )
  return (
    <select
      aria-label={`Group of ${username}`}
      value={before ?? none}
      onChange={({ target }) => void change(groups.find((one) => one === target.value))}
    >
      {[...groups, none].map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  )
}
