/** A SharedWorker that passes ports from other tabs to the leader's tab. */
let leader;
self.onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    if (data.isLeader) leader = port;
    else leader.postMessage({ how: 'port', port: data.port }, [data.port]);
  };
};
