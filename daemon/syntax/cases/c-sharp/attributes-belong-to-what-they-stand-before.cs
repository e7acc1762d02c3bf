using System;

[assembly: CLSCompliant(true)]

namespace Shop.Data
{
    /// <summary>Keeps things.</summary>
    [Serializable, Obsolete("later")]
    // between
    [DataContract]
    public partial class Store<T> : Base where T : class
    {
        [Fact]
        [InlineData(1, "a")]
        public async Task<int> Get([FromQuery] int at)
        {
            int Local(int a) => a;
            var z = Local(at);
            return z;
        }

        /// <summary>By name.</summary>
        [Theory] public int Get(string name) => 1; // never

        [Column] public int Count { get; set; } = 3;
    }
}
