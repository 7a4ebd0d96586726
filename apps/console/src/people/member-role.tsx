import type { Membership } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isAbove, type MemberStanding, rolesToGive } from '../api/roles.ts'
import { useToast } from '../ui/toasts.tsx'

interface Props {
  membership: Membership
  standing: MemberStanding
}

/** Shows the role of a member; users with a higher role can change it. */
export function MemberRole({ membership: { id, role, user }, standing }: Props) {
  const toast = useToast()
  const roles = rolesToGive(standing)
  const before = roles.find((one) => one === role)
  if (!before || !isAbove(standing, role)) return role
  const give = async (role: (typeof roles)[number]) => {
    await api.updateMembership({ id, body: { role } })
    await queries.invalidateQueries()
  }
  const change = (value: string) => {
    const after = roles.find((one) => one === value)
    if (!after) return
    give(after).then(
      () => toast({ text: `${user.username} is ${after} now.`, undo: () => give(before) }),
      (error: Error) => toast({ text: error.message }),
    )
  }
  return (
    <select
      aria-label={`Role of ${user.username}`}
      value={role}
      onChange={({ target }) => change(target.value)}
    >
      {roles.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  )
}
