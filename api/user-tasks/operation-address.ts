/** Address at which an operation can be read. @see UT-409 */
export function operationAddress(taskId: string, operationId: string): string {
  return `/user-tasks/${taskId}/operations/${encodeURIComponent(operationId)}`;
}
